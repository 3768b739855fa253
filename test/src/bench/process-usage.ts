import { readFileSync } from 'node:fs';

export interface MemoryUsage {
  readonly name: string;
  /** Resident now, MiB. */
  readonly resident: number;
  /** Highest resident size so far, MiB. */
  readonly highest: number;
}

/** Memory of processes, from `/proc/<pid>/status`. */
export function readMemoryUsage(
  processes: readonly { readonly name: string; readonly pid: number | undefined }[],
): MemoryUsage[] {
  return processes.map(({ name, pid }) => {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const readMebibytes = (field: string): number =>
      Math.round(Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? NaN) / 1024);
    return { name, resident: readMebibytes('VmRSS'), highest: readMebibytes('VmHWM') };
  });
}

/** The kernel reports processor time in hundredths of a second (`USER_HZ`, proc(5)). */
const MS_PER_TICK = 10;

/** Processor time of a process so far, milliseconds: `utime` plus `stime` of `/proc/<pid>/stat`. */
export function readProcessorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the program's name in brackets, which may contain spaces. utime is the fourteenth field.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}
