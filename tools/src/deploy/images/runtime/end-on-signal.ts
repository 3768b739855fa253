/** Exit statuses that shells give a process which such a signal ended. */
const EXIT_STATUSES = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * The kernel ignores these signals for process 1 as long as no listener is set. This listener ends the process until the app
 * has set its own, which shuts down gracefully.
 */
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (process.listenerCount(signal) === 1) process.exit(EXIT_STATUSES[signal]);
  });
}
