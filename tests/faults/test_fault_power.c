// Power loss: the calls by which the command changes its files are logged
// (tests/faults/file_shim.c), and from every beginning of the log states are made that a disk may
// have afterwards. Bytes, lengths and names that were not yet synced are there or not, each sector
// of 512 bytes on its own. Whatever is left must be readable, and complete up to a checkpoint: at
// least the one before the last that was written, and everything once the run has ended.
#include "faults.h"

#define CN_SECTOR 512
#define CN_FILES_MAX 16
#define CN_STEPS 30

typedef struct cn_call {
    cn_call_head head;
    const char *name;
    const unsigned char *bytes;
} cn_call;

typedef struct cn_call_log {
    char *text;
    size_t size;
    cn_call *call;
    int32_t count;
} cn_call_log;

// A file as the disk may have it; present: under its name.
typedef struct cn_disk_file {
    char name[64];
    bool present;
    unsigned char *bytes;
    int64_t size;
} cn_disk_file;

typedef struct cn_disk {
    cn_disk_file file[CN_FILES_MAX];
    int32_t count;
} cn_disk;

// Which of what was not synced is on the disk.
typedef enum cn_variant {
    CN_ALL,
    CN_NONE,
    CN_SOME, // each sector, length and name with probability 1/2
    CN_VARIANTS
} cn_variant;

static uint64_t cn_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static bool cn_arrives(cn_variant variant, uint64_t *seed) {
    return variant == CN_ALL || (variant == CN_SOME && (cn_random(seed) >> 33) % 2 == 0);
}

static cn_call_log cn_read_log(const char *path) {
    cn_call_log log = {.text = cn_file_text(path)};
    struct stat about;
    CN_CHECK_TRUE(stat(path, &about) == 0);
    log.size = (size_t)about.st_size;
    for (size_t at = 0; at < log.size;) {
        log.call = realloc(log.call, sizeof *log.call * (size_t)(log.count + 1));
        cn_call *call = &log.call[log.count++];
        memcpy(&call->head, log.text + at, sizeof call->head);
        at += sizeof call->head;
        call->name = strrchr(log.text + at, '/') + 1;
        at += (size_t)call->head.name_size + (size_t)call->head.other_size;
        call->bytes = (const unsigned char *)log.text + at;
        at += (size_t)call->head.size;
    }
    return log;
}

static cn_disk_file *cn_disk_find(cn_disk *disk, const char *name) {
    for (int32_t i = 0; i < disk->count; i++) {
        if (strcmp(disk->file[i].name, name) == 0) {
            return &disk->file[i];
        }
    }
    CN_CHECK_TRUE(disk->count < CN_FILES_MAX);
    cn_disk_file *file = &disk->file[disk->count++];
    *file = (cn_disk_file){.present = false};
    snprintf(file->name, sizeof file->name, "%s", name);
    return file;
}

static void cn_disk_resize(cn_disk_file *file, int64_t size) {
    file->bytes = realloc(file->bytes, (size_t)size + 1);
    if (size > file->size) {
        memset(file->bytes + file->size, 0, (size_t)(size - file->size));
    }
    file->size = size;
}

// Whether a call is durable at the end of `calls` calls: its file, or for names their folder, was
// synced after it.
static bool cn_is_synced(const cn_call_log *log, int32_t index, int32_t calls) {
    const cn_call *call = &log->call[index];
    bool names = call->head.call == CN_CALL_CREATE || call->head.call == CN_CALL_REMOVE;
    for (int32_t i = index + 1; i < calls; i++) {
        int32_t kind = log->call[i].head.call;
        if (names ? kind == CN_CALL_SYNC_FOLDER
                  : kind == CN_CALL_SYNC && strcmp(log->call[i].name, call->name) == 0) {
            return true;
        }
    }
    return false;
}

static void cn_disk_write(cn_disk_file *file, const cn_call *call, bool synced, cn_variant variant,
                          uint64_t *seed) {
    for (int64_t at = 0; at < call->head.size;) {
        int64_t to = call->head.offset + at, room = CN_SECTOR - to % CN_SECTOR,
                left = call->head.size - at, piece = left < room ? left : room;
        if (synced || cn_arrives(variant, seed)) {
            if (to + piece > file->size) {
                cn_disk_resize(file, to + piece);
            }
            memcpy(file->bytes + to, call->bytes + at, (size_t)piece);
        }
        at += piece;
    }
}

static cn_disk cn_disk_after(const cn_call_log *log, int32_t calls, cn_variant variant,
                             uint64_t seed) {
    cn_disk disk = {.count = 0};
    for (int32_t i = 0; i < calls; i++) {
        const cn_call *call = &log->call[i];
        cn_disk_file *file = cn_disk_find(&disk, call->name);
        bool synced = cn_is_synced(log, i, calls);
        if (call->head.call == CN_CALL_WRITE) {
            cn_disk_write(file, call, synced, variant, &seed);
        } else if (call->head.call == CN_CALL_TRUNCATE && (synced || cn_arrives(variant, &seed))) {
            cn_disk_resize(file, call->head.offset);
        } else if (call->head.call == CN_CALL_CREATE) {
            cn_disk_resize(file, 0);
            file->present = synced || cn_arrives(variant, &seed);
        } else if (call->head.call == CN_CALL_REMOVE && (synced || cn_arrives(variant, &seed))) {
            file->present = false;
        }
    }
    return disk;
}

// Into the folder "disk"; what SQLite shares in memory does not survive.
static void cn_disk_put(cn_disk *disk) {
    assert_int_equal(system("rm -rf disk && mkdir disk"), 0);
    for (int32_t i = 0; i < disk->count; i++) {
        cn_disk_file *file = &disk->file[i];
        char path[128];
        snprintf(path, sizeof path, "disk/%s", file->name);
        if (file->present && strncmp(file->name, "p.run", 5) == 0 && !strstr(file->name, "-shm")) {
            io_file_write(path, file->bytes, (size_t)file->size);
        }
        free(file->bytes);
        *file = (cn_disk_file){.present = false};
    }
}

// What a state of the disk holds: its newest checkpoints, -1: none.
typedef struct cn_found {
    int64_t newest, one_before, rows;
} cn_found;

static cn_found cn_look_at_disk(const cn_call_log *log, int32_t calls, cn_variant variant,
                                uint64_t seed) {
    cn_disk disk = cn_disk_after(log, calls, variant, seed);
    cn_disk_put(&disk);
    const char *path = "disk/p.run";
    cn_found found = {-1, -1, -1};
    if (!cn_exists(path)) {
        return found;
    }
    found.newest = cn_query_int(path, "SELECT coalesce(max(step), -1) FROM checkpoint");
    found.one_before = cn_query_int(path, "SELECT step FROM checkpoint ORDER BY step DESC LIMIT 1 "
                                          "OFFSET 1");
    found.rows = cn_query_int(path, "SELECT count(*) FROM ledger WHERE step <= (SELECT max(step) "
                                    "FROM checkpoint)");
    return found;
}

static void cn_complain(int32_t calls, cn_variant variant, uint64_t seed, const char *what,
                        int64_t got, int64_t want) {
    static const char *const names[CN_VARIANTS] = {"all of them", "none of them", "some of them"};
    print_error("after %d calls, with %s that were not synced (seed %d): %s: got %d, want %d\n",
                (int)calls, names[variant], (int)seed, what, (int)got, (int)want);
    fail();
}

// One state: complete up to a checkpoint, which is not older than the one before the last.
static cn_found cn_check_state(const cn_call_log *log, int32_t calls, cn_variant variant,
                               uint64_t seed, const cn_found *whole) {
    cn_found found = cn_look_at_disk(log, calls, variant, seed);
    if (found.newest >= 0 && found.rows != found.newest) {
        cn_complain(calls, variant, seed, "steps in the ledger up to the checkpoint", found.rows,
                    found.newest);
    }
    if (found.newest < whole->one_before) {
        cn_complain(calls, variant, seed, "the last checkpoint", found.newest, whole->one_before);
    }
    if (found.newest >= 0 &&
        cn_query_int("disk/p.run", "SELECT integrity_check = 'ok' FROM pragma_integrity_check") !=
            1) {
        cn_complain(calls, variant, seed, "an intact database", 0, 1);
    }
    return found;
}

// The command itself on the state in "disk": it resumes to the state of a run without power loss,
// or says that there is nothing yet.
static void cn_check_resume(cn_cli *cli, const cn_call_log *log, int32_t calls, cn_variant variant,
                            uint64_t seed, const char *hash) {
    cn_disk disk = cn_disk_after(log, calls, variant, seed);
    cn_disk_put(&disk);
    int code = cn_cli_run(cli, "resume disk/p.run --until=0.3 --json");
    bool early = code == 4 && cn_query_int("disk/p.run", "SELECT count(*) FROM checkpoint") < 1;
    if (!early && (code != 0 || !strstr(cli->out, hash))) {
        print_error("stdout: %s\nstderr: %s\n", cli->out, cli->err);
        cn_complain(calls, variant, seed, "exit code of resume", code, 0);
    }
    if (!early) {
        CN_CLI_EXPECT(cli, 0, "check disk/p.run");
        assert_int_equal(cn_query_int("disk/p.run", "SELECT count(*) FROM ledger"), CN_STEPS);
    }
}

// stride: of the calls after which the power fails; seeds: random states for each.
static void cn_lose_power(const char *first, const char *arguments, int32_t stride, int32_t seeds,
                          int32_t resume_stride) {
    cn_cli cli = cn_cli_enter();
    io_file_write("small.yaml", CN_FAULT_SCENE, strlen(CN_FAULT_SCENE));
    CN_CLI_EXPECT(&cli, 0, "run small.yaml -o whole.run --json");
    char hash[32];
    CN_CHECK_TRUE(sscanf(strstr(cli.out, "\"state_hash\""), "\"state_hash\":\"%16[0-9a-f]", hash) ==
                  1);
    cn_fault *fault = cn_fault_map();
    cn_fault log_all = {.fail_at = 0};
    snprintf(log_all.log, sizeof log_all.log, "%s/calls", cli.folder);
    if (first) {
        assert_int_equal(cn_fault_run(&cli, CAIRN_FILE_SHIM, fault, &log_all, first), 0);
    }
    assert_int_equal(cn_fault_run(&cli, CAIRN_FILE_SHIM, fault, &log_all, arguments), 0);
    cn_call_log log = cn_read_log("calls");
    CN_CHECK_TRUE(log.count > 60);
    int32_t states = 0, resumed = 0;
    // Back from the end, at which all must be there.
    for (int32_t calls = log.count; calls > 0; calls -= stride) {
        cn_found whole = cn_look_at_disk(&log, calls, CN_ALL, 1);
        for (int32_t s = 0; s <= seeds; s++) {
            cn_variant variant = s == 0 ? CN_NONE : CN_SOME;
            uint64_t seed = 1000003u * (uint64_t)calls + (uint64_t)s + 1u;
            cn_found found = cn_check_state(&log, calls, variant, seed, &whole);
            if (calls == log.count && found.rows != CN_STEPS) {
                cn_complain(calls, variant, seed, "steps after the end", found.rows, CN_STEPS);
            }
            if (states++ % resume_stride == 0 && variant == CN_SOME) {
                cn_check_resume(&cli, &log, calls, variant, seed, hash);
                resumed++;
            }
        }
    }
    print_message("%d states of the disk after %d calls, %d resumed\n", states, log.count, resumed);
    CN_CHECK_TRUE(resumed > 0);
    free(log.call);
    free(log.text);
    munmap(fault, sizeof *fault);
    cn_cli_leave(&cli);
}

#define CN_RUN "run small.yaml -o p.run -q"
#define CN_HALF "run small.yaml -o p.run -q --until=0.15"
#define CN_RESUME "resume p.run --until=0.3 -q"

CN_TEST(power_loss_in_a_run_loses_no_checkpoint) {
    cn_lose_power(NULL, CN_RUN, 3, 2, 7);
}

CN_TEST(power_loss_in_a_resumed_run_loses_no_checkpoint) {
    cn_lose_power(CN_HALF, CN_RESUME, 5, 2, 7);
}

CN_TEST(long_power_loss_in_a_run_loses_no_checkpoint) {
    cn_lose_power(NULL, CN_RUN, 1, 6, 5);
}

CN_TEST(long_power_loss_in_a_resumed_run_loses_no_checkpoint) {
    cn_lose_power(CN_HALF, CN_RESUME, 1, 6, 5);
}
