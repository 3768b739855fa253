import { readFileSync } from 'node:fs';

export interface Memory {
  readonly name: string;
  /** Resident now, MiB. */
  readonly resident: number;
  /** Highest so far, MiB. */
  readonly highest: number;
}

/** Memory of processes as the kernel tells it (`/proc`). */
export function memoryOf(
  processes: readonly { readonly name: string; readonly pid: number | undefined }[],
): Memory[] {
  return processes.map(({ name, pid }) => {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const mebibytes = (field: string): number =>
      Math.round(Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? NaN) / 1024);
    return { name, resident: mebibytes('VmRSS'), highest: mebibytes('VmHWM') };
  });
}
