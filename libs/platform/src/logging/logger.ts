import { destination, pino, type DestinationStream, type Logger } from 'pino';
import { PinoPretty } from 'pino-pretty';

export type { Logger } from 'pino';

/** Injection token of the app's pino logger. */
export const LOGGER = Symbol('LOGGER');

export interface LoggerOptions {
  readonly name: string;
  readonly level: string;
  readonly format: 'auto' | 'json' | 'pretty';
  /** Where the lines go; standard output when omitted. */
  readonly stream?: DestinationStream;
}

/** Fields that must not reach a log even when somebody passes a whole object by mistake. */
const SECRETS = ['password', 'secret', 'clientSecret', 'privateKey', 'authorization', 'token', 'payload'];

/** Structured logs: readable in a terminal, one JSON object a line otherwise; secrets and payloads are cut out. */
export function createLogger({ name, level, format, stream }: LoggerOptions): Logger {
  const options = {
    name,
    level,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    base: { app: name, pid: process.pid },
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: SECRETS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]), censor: '[redacted]' },
  };
  const pretty = format === 'pretty' || (format === 'auto' && stream === undefined && process.stdout.isTTY);
  if (!pretty) return pino(options, stream ?? destination({ dest: 1, sync: true }));
  return pino(
    options,
    PinoPretty({
      sync: true,
      singleLine: true,
      ignore: 'pid,app,name',
      messageFormat: `${name}: {msg}`,
      ...(stream && { destination: stream }),
    }),
  );
}
