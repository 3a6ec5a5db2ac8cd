/**
 * Which processes are threads of the kernel: most of those of a quiet machine, and none of a command's. All are children of process 2, where that one is a
 * thread of the kernel itself: in a container it may be anybody.
 */

/** In the flags of a process, field 9 of its stat. Source: linux/sched.h, PF_KTHREAD; proc(5). */
const IS_KERNEL_THREAD = 0x00200000;
const FLAGS = 6;

/** By the texts of /proc/2/stat and /proc/2/task/2/children; both may be empty. Pure. */
export function kernelThreadsIn(stat: string, children: string): readonly number[] {
  // The name before it, in brackets, may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if ((Number(fields[FLAGS]) & IS_KERNEL_THREAD) === 0) return [];
  return children
    .split(' ')
    .filter((pid) => pid !== '')
    .map(Number);
}
