/**
 * What a command does when nobody reads its output any more (`… list | head`): the reader has seen enough, which is no failure.
 * Without this, Node ends the process with a stack trace.
 * @param end ends the process; at once and with its exit status by default
 */
export function whenOutputCloses(end: () => void = () => process.exit()): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    end();
  });
}
