/* rights.c: gives up what a process may do beyond computing: a second wall around a sandbox. On Linux by Landlock (files) and a
 * filter of system calls (seccomp); elsewhere there is none. */
#define _GNU_SOURCE /* syscall, O_PATH */
#include "platform/platform.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#define HAS_WALLS 1
#else
#define HAS_WALLS 0
#endif

#if HAS_WALLS

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* --- files: Landlock ------------------------------------------------------------------------------------ */

/* Every right of the first version of Landlock, and those of later versions if this header knows them. */
static uint64_t rights_of_version(long version) {
  uint64_t rights = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
#ifdef LANDLOCK_ACCESS_FS_REFER
  if (version >= 2) rights |= LANDLOCK_ACCESS_FS_REFER;
#endif
#ifdef LANDLOCK_ACCESS_FS_TRUNCATE
  if (version >= 3) rights |= LANDLOCK_ACCESS_FS_TRUNCATE;
#endif
  (void)version;
  return rights;
}

static bool allow_folder(int ruleset, const char *folder, bool writable, uint64_t known) {
  uint64_t rights = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
  if (writable)
    rights |= known & ~(uint64_t)(LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                                  LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SOCK |
                                  LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_SYM);
  struct landlock_path_beneath_attr beneath = {
      .allowed_access = rights, .parent_fd = open(folder, O_PATH | O_CLOEXEC | O_DIRECTORY)};
  if (beneath.parent_fd < 0) return false;
  bool done = syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) == 0;
  close(beneath.parent_fd);
  return done;
}

bool platform_give_up_files(const char *folder, bool writable) {
  long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) return false;
  struct landlock_ruleset_attr all = {.handled_access_fs = rights_of_version(version)};
  int ruleset = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof all.handled_access_fs, 0);
  if (ruleset < 0) return false;
  bool done = (!folder || allow_folder(ruleset, folder, writable, all.handled_access_fs)) &&
              prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
              syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
  close(ruleset);
  return done;
}

/* --- system calls: seccomp --------------------------------------------------------------------------------- */

#if defined(__x86_64__)
enum { ARCHITECTURE = AUDIT_ARCH_X86_64 };
#else
enum { ARCHITECTURE = AUDIT_ARCH_AARCH64 };
#endif

/* Calls for memory, threads, clocks, and files that are open. */
static const unsigned short allowed[] = {SYS_read,           SYS_write,
                                         SYS_readv,          SYS_writev,
                                         SYS_pread64,        SYS_pwrite64,
                                         SYS_lseek,          SYS_close,
                                         SYS_fstat,          SYS_ftruncate,
                                         SYS_fsync,          SYS_fdatasync,
                                         SYS_fcntl,          SYS_getdents64,
                                         SYS_mmap,           SYS_mprotect,
                                         SYS_munmap,         SYS_mremap,
                                         SYS_madvise,        SYS_brk,
                                         SYS_futex,          SYS_set_robust_list,
                                         SYS_rseq,           SYS_rt_sigaction,
                                         SYS_rt_sigprocmask, SYS_rt_sigreturn,
                                         SYS_sigaltstack,    SYS_gettid,
                                         SYS_getpid,         SYS_exit,
                                         SYS_exit_group,     SYS_clock_gettime,
                                         SYS_clock_getres,   SYS_clock_nanosleep,
                                         SYS_nanosleep,      SYS_gettimeofday,
                                         SYS_sched_yield,    SYS_sched_getaffinity,
                                         SYS_getrandom,      SYS_getrusage,
                                         SYS_sysinfo,        SYS_restart_syscall,
                                         SYS_membarrier,     SYS_getpriority,
                                         SYS_setpriority,    SYS_get_mempolicy,
                                         SYS_getcpu};
/* Calls that take a path beneath an open folder, their first argument. */
static const unsigned short beneath[] = {SYS_openat,   SYS_openat2,   SYS_newfstatat, SYS_unlinkat,
                                         SYS_renameat, SYS_renameat2, SYS_mkdirat};

enum { MAX_FILTER = 160 };

typedef struct filter {
  struct sock_filter code[MAX_FILTER];
  unsigned short count;
} filter;

static void add(filter *f, struct sock_filter instruction) { f->code[f->count++] = instruction; }

static void load(filter *f, size_t offset) {
  add(f, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offset));
}

static void answer(filter *f, unsigned action) {
  add(f, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

/* Adds: if the loaded word is `value`, go on, else skip `skipped` instructions. */
static void skip_unless(filter *f, unsigned value, unsigned char skipped) {
  add(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skipped));
}

/* Offset of the low 32 bits of argument i. Both architectures store them first. */
static size_t argument(int i) { return offsetof(struct seccomp_data, args) + 8 * (size_t)i; }

static void fill(filter *f) {
  const unsigned refused = SECCOMP_RET_ERRNO | EPERM;
  load(f, offsetof(struct seccomp_data, arch));
  skip_unless(f, ARCHITECTURE, 1);
  add(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0));
  answer(f, SECCOMP_RET_KILL_PROCESS);
  load(f, offsetof(struct seccomp_data, nr));
  for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++) {
    skip_unless(f, allowed[i], 1);
    answer(f, SECCOMP_RET_ALLOW);
  }
  skip_unless(f, SYS_clone3, 1); /* its flags are out of sight: the C library then calls clone */
  answer(f, SECCOMP_RET_ERRNO | ENOSYS);
  skip_unless(f, SYS_clone, 4);
  load(f, argument(0));
  add(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1));
  answer(f, SECCOMP_RET_ALLOW);
  answer(f, refused);
  skip_unless(f, SYS_tgkill, 4); /* within this process only */
  load(f, argument(0));
  skip_unless(f, (unsigned)getpid(), 1);
  answer(f, SECCOMP_RET_ALLOW);
  answer(f, refused);
  for (size_t i = 0; i < sizeof beneath / sizeof *beneath; i++) {
    skip_unless(f, beneath[i], 4);
    load(f, argument(0));
    skip_unless(f, (unsigned)AT_FDCWD, 1);
    answer(f, SECCOMP_RET_ERRNO | EACCES);
    answer(f, SECCOMP_RET_ALLOW);
  }
  answer(f, refused);
}

bool platform_give_up_system_calls(void) {
  filter f = {.count = 0};
  fill(&f);
  struct sock_fprog program = {f.count, f.code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

#else

bool platform_give_up_files(const char *folder, bool writable) {
  (void)folder, (void)writable;
  return false;
}

bool platform_give_up_system_calls(void) { return false; }

#endif
