/**
 * An error that explains itself to the operator when it ends the start of an app. The errors of libraries that do not import this one have
 * the same fields.
 */
export interface StartFault extends Error {
  /** `configuration`: a restart does not help. `unavailable`: a service or its data is missing, and a restart may help. */
  readonly startFault: 'configuration' | 'unavailable';
  /** Sentences for the operator, without secrets. Default: the message. */
  readonly problems?: readonly string[];
  /** The file or folder in question. The setting that names it is shown too. */
  readonly path?: string;
}

/** What the operator has configured cannot work. */
export class ConfigurationError extends Error implements StartFault {
  override readonly name: string = 'ConfigurationError';
  readonly startFault = 'configuration';
  readonly problems: readonly string[];

  /** @param problems sentences that say what is wrong, what is allowed and what to do next, without secrets */
  constructor(problems: string | readonly string[], options?: ErrorOptions) {
    const list = typeof problems === 'string' ? [problems] : problems;
    super(list.join('\n'), options);
    this.problems = list;
  }
}
