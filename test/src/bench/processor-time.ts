import { readFileSync } from 'node:fs';

/** The kernel counts for programs in hundredths of a second (`USER_HZ`, proc(5)). */
const MS_PER_TICK = 10;

/** Processor time that a process has used so far, milliseconds, as the kernel tells it: `utime` and `stime` of `/proc/<pid>/stat`. */
export function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the program's name in brackets and may have spaces; utime is the fourteenth field.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}
