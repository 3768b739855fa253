/** Redis cannot be reached. */
export class RedisUnavailableError extends Error {
  override readonly name = 'RedisUnavailableError';
  readonly startFault = 'unavailable';

  constructor(reason: string, options?: ErrorOptions) {
    super(`The Redis of REDIS_URL cannot be used: ${withoutFullStop(reason)}.`, options);
  }
}

/** Redis refuses the user name or password. */
export class RedisRefusedError extends Error {
  override readonly name = 'RedisRefusedError';
  readonly startFault = 'configuration';

  constructor(reason: string, options?: ErrorOptions) {
    super(`The Redis of REDIS_URL refuses the user name or password: ${withoutFullStop(reason)}.`, options);
  }
}

/** Redis refuses the number of the database at the end of REDIS_URL. */
export class RedisDatabaseError extends Error {
  override readonly name = 'RedisDatabaseError';
  readonly startFault = 'configuration';

  constructor(database: string, reason: string, options?: ErrorOptions) {
    super(
      `The Redis of REDIS_URL refuses database ${database} (${withoutFullStop(reason)}); end REDIS_URL with the number of one that exists, such as /0.`,
      options,
    );
  }
}

/** What Redis answers to a wrong user name or password. */
const REFUSED = /NOAUTH|WRONGPASS|without any password configured|invalid password/i;

/** The error that explains the failure of a connection or a command to the operator. */
export function explainConnectionError(
  error: Error,
  connectionError?: Error,
): RedisRefusedError | RedisUnavailableError {
  const reason = describe(connectionError ?? error);
  return REFUSED.test(reason) || REFUSED.test(error.message)
    ? new RedisRefusedError(reason, { cause: error })
    : new RedisUnavailableError(reason, { cause: error });
}

/** The error of a host name with several addresses has a code and no message. */
function describe(error: Error): string {
  return error.message || String((error as NodeJS.ErrnoException).code);
}

function withoutFullStop(text: string): string {
  return text.replace(/\.+$/, '');
}
