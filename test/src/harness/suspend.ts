import { readFileSync } from 'node:fs';

/** Suspends a process and its children, so that it accepts connections without responding. @returns resumes them */
export function suspend(pid: number): () => void {
  const signal = (each: number, name: NodeJS.Signals): void => {
    try {
      process.kill(each, name);
    } catch (error) {
      // A child can have ended meanwhile.
      if ((error as { code?: string }).code !== 'ESRCH') throw error;
    }
  };
  process.kill(pid, 'SIGSTOP');
  const suspended = new Set<number>();
  // A reading can miss children while others end, so the list is complete when a reading finds no further one.
  for (let found = readChildren(pid); found.some((child) => !suspended.has(child)); found = readChildren(pid))
    for (const child of found) {
      signal(child, 'SIGSTOP');
      suspended.add(child);
    }
  return () => {
    for (const each of [...suspended, pid]) signal(each, 'SIGCONT');
  };
}

function readChildren(pid: number): number[] {
  const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return list === '' ? [] : list.split(' ').map(Number);
}
