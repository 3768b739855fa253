import { destination, pino, type DestinationStream, type Logger as PinoLogger } from 'pino';
import { PinoPretty } from 'pino-pretty';
import { allowedFields, describeError, type LogFields } from './log-fields.js';

/** Injection token of the app's logger. */
export const LOGGER = Symbol('LOGGER');

/** Writes one line. @param fields values of this occurrence @param message the name of what happened */
export interface LogMethod {
  (fields: LogFields, message: string): void;
  (message: string): void;
}

export interface Logger extends Record<'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace', LogMethod> {
  /** A logger whose lines all have these fields. */
  child(fields: LogFields): Logger;
}

export interface LoggerOptions {
  readonly name: string;
  readonly level: string;
  readonly format: 'auto' | 'json' | 'pretty';
  /** Where the lines go; standard output when omitted. */
  readonly stream?: DestinationStream;
}

/** What may wait for a reader of standard output. Beyond it lines are dropped, so that the app goes on and its memory stays bounded. */
const MAX_BUFFER_BYTES = 16 * 1_048_576;

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
    serializers: { err: (error: unknown) => describeError(error) },
  };
  const output = stream ?? destination({ dest: 1, sync: false, maxLength: MAX_BUFFER_BYTES });
  const pretty = format === 'pretty' || (format === 'auto' && stream === undefined && process.stdout.isTTY);
  if (!pretty) return pino(options, output);
  const readable = PinoPretty({
    singleLine: true,
    ignore: 'pid,app,name',
    messageFormat: `${name}: {msg}`,
    destination: output,
  });
  return pino(options, readable) satisfies PinoLogger;
}
