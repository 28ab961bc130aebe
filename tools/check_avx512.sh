#!/bin/sh
# Runs the kernels on an emulated processor with AVX-512, without a system: from the first sector of a
# disk. Compares their bits with those of this processor. Needs Bochs: tools/setup.sh avx512. Where it
# is not, says so.
set -eu
cd "$(dirname "$0")/.."
. tools/kernels.sh
if ! command -v bochs >/dev/null 2>&1; then
    echo "avx512: left out, needs tools/setup.sh avx512"
    exit 0
fi
build=build/avx512
bare=tests/kernels/bare
rm -rf $build
compile_kernels "${CC:-gcc}" $build/here
"${CC:-gcc}" $build/here/*.o -o $build/kernels_here -lm
$build/kernels_here >$build/here.txt

compile_kernels gcc $build/bare -DCN_BARE -fno-pic -fno-stack-protector -fno-asynchronous-unwind-tables -ffunction-sections -fdata-sections
gcc -O1 -fno-pic -fno-stack-protector -c $bare/bare.c -o $build/bare/bare.o
gcc -static -nostdlib -no-pie -Wl,-T,$bare/bare.ld -Wl,--gc-sections,--build-id=none,--no-warn-rwx-segments $build/bare/*.o -lgcc -o $build/program.elf
objcopy -O binary -j .text -j .rodata $build/program.elf $build/program.bin
sectors=$((($(wc -c <$build/program.bin) + 511) / 512))
if [ $sectors -gt 1100 ]; then # up to where the first megabyte has other things
    echo "avx512: the program is too long to load: $sectors sectors"
    exit 1
fi
gcc -DSECTORS=$sectors -c $bare/boot.S -o $build/boot.o
ld -m elf_x86_64 -Ttext 0x7c00 --oformat binary $build/boot.o -o $build/disk.img
cat $build/program.bin >>$build/disk.img
truncate -s 1008K $build/disk.img # two cylinders
rm -f $build/serial.txt
cat >$build/bochsrc <<END
display_library: term
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/bochs/VGABIOS-lgpl-latest
megs: 64
cpu: model=corei7_skylake_x, ips=50000000
clock: sync=none
ata0-master: type=disk, path=$build/disk.img, mode=flat, cylinders=2, heads=16, spt=63
boot: disk
com1: enabled=1, mode=file, dev=$build/serial.txt
log: $build/bochs.log
panic: action=fatal
sound: waveoutdrv=dummy, waveindrv=dummy, midioutdrv=dummy
END
echo continue >$build/debugger # which it has, and which waits
# Its screen wants a terminal.
TERM=xterm timeout "${BOCHS_SECONDS:-600}" script -qec "bochs -q -f $build/bochsrc -rc $build/debugger" /dev/null >$build/screen.txt 2>&1 </dev/null || true
compare_hashes avx512 $build/here.txt $build/serial.txt avx512
