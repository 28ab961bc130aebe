// The first sector of a disk: loads SECTORS sectors behind it to 0x10000, goes to 64 bits with the
// first gigabyte mapped to itself, and calls what was loaded.
    .code16
    .globl _start
_start:
    cli
    cld
    xor %ax, %ax
    mov %ax, %ds
    mov %ax, %es
    mov %ax, %ss
    mov $0x7c00, %sp
    mov $SECTORS, %cx
next_sector:
    mov $packet, %si
    mov $0x42, %ah
    int $0x13               // dl is the disk still
    jc halt
    addw $0x20, segment     // 512 bytes on
    incl sector
    loop next_sector
    in $0x92, %al           // all address lines
    or $2, %al
    out %al, $0x92

    mov $0x1000, %edi       // tables at 0x1000, 0x2000, 0x3000; 512 pages of 2 MB
    mov %edi, %cr3
    xor %eax, %eax
    mov $3072, %ecx
    rep stosl
    movl $0x2003, 0x1000
    movl $0x3003, 0x2000
    mov $0x3000, %di
    mov $0x83, %eax
next_page:
    mov %eax, (%di)
    add $8, %di
    add $0x200000, %eax
    cmp $0x4000, %di
    jne next_page

    mov $0x40620, %eax      // wide addresses; vector registers, and all of their state
    mov %eax, %cr4
    mov $0xc0000080, %ecx
    rdmsr
    or $0x100, %eax         // long mode
    wrmsr
    mov $0x80000013, %eax   // paging, protection, a coprocessor
    mov %eax, %cr0
    lgdt table_pointer
    ljmp $8, $long_mode
halt:
    hlt
    jmp halt

    .code64
long_mode:
    mov $0x800000, %esp
    xor %ecx, %ecx
    xor %edx, %edx
    mov $0xe7, %eax         // the state of AVX-512
    xsetbv
    mov $0x10000, %eax
    call *%rax
stop:
    mov $0x8900, %edx       // the emulator ends at this word
    mov $word, %esi
    mov $8, %ecx
    rep outsb
    hlt
    jmp stop

    .balign 8
table:
    .quad 0, 0x00209a0000000000
table_pointer:
    .word 15
    .long table
packet:
    .byte 16, 0
    .word 1, 0
segment:
    .word 0x1000
sector:
    .quad 1
word:
    .ascii "Shutdown"
    .org 510
    .word 0xaa55
