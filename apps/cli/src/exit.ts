/** Exit statuses of `busbridge`. Those from 64 on are of sysexits.h. */
export const EXIT = {
  done: 0,
  /** It did its work and found something wrong, or what it was asked for was refused. */
  findings: 1,
  usage: 2,
  unreachable: 69,
  notPermitted: 77,
  configuration: 78,
  /** Ctrl-C. */
  interrupted: 130,
  /** SIGTERM. */
  terminated: 143,
} as const;

export type ExitStatus = (typeof EXIT)[keyof typeof EXIT];

/** A command cannot do its work. The message is a sentence for its user. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  constructor(
    message: string,
    readonly status: ExitStatus = EXIT.findings,
  ) {
    super(message);
  }
}
