import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino';
import { PinoPretty } from 'pino-pretty';
import { LineWriter } from './line-writer.js';
import { allowedFields, type LogFields } from './log-fields.js';

/** Injection token of the app's logger. */
export const LOGGER = Symbol('LOGGER');

/** Fields of other names, which the compiler refuses also in a variable or a spread. */
type NoOtherFields<Fields> = { readonly [Name in Exclude<keyof Fields, keyof LogFields>]: never };

/** Writes one line. @param fields values of this occurrence @param message the name of what happened */
export interface LogMethod {
  <Fields extends LogFields>(fields: Fields & NoOtherFields<Fields>, message: string): void;
  (message: string): void;
}

export interface Logger extends Record<'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace', LogMethod> {
  /** A logger whose lines all have these fields. */
  child<Fields extends LogFields>(fields: Fields & NoOtherFields<Fields>): Logger;
}

export interface LoggerOptions {
  readonly name: string;
  readonly level: string;
  readonly format: 'auto' | 'json' | 'pretty';
  /** Where the lines go; standard output when omitted. */
  readonly stream?: DestinationStream;
}

/**
 * Structured logs: readable in a terminal, one JSON object a line otherwise. Only allowed fields are written. Lines are written
 * asynchronously; those that wait are written before the process ends, also after an uncaught exception.
 */
export function createLogger({ name, level, format, stream }: LoggerOptions): Logger {
  const options = {
    level,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    base: { app: name, pid: process.pid },
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (fields: object) => allowedFields(fields),
    },
    // `allowedFields` has described errors already.
    serializers: { err: (error: unknown) => error },
  };
  const pretty = format === 'pretty' || (format === 'auto' && stream === undefined && process.stdout.isTTY);
  if (!pretty) return guarded(pino(options, stream ?? standardOutput()));
  const readable = PinoPretty({
    sync: true,
    singleLine: true,
    ...(stream && { colorize: false }),
    ignore: 'pid,app,name',
    messageFormat: `${name}: {msg}`,
    ...(stream && { destination: stream }),
  });
  return guarded(pino(options, readable));
}

/** pino takes the fields of a child as they are. */
function guarded(logger: PinoLogger): Logger {
  const child = logger.child.bind(logger);
  return Object.assign(logger, { child: (fields: object) => guarded(child(allowedFields(fields))) });
}

function standardOutput(): LineWriter {
  const output = new LineWriter();
  process.once('exit', () => output.flushSync());
  return output;
}
