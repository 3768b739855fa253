import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino';
import { PinoPretty } from 'pino-pretty';
import { escapeLine, escapeLines } from '@ssb/net';
import { standardOutput } from '../cli/output.js';
import { LineWriter } from './line-writer.js';
import { filterLogFields, type LogFields } from './log-fields.js';

/** Injection token of the app's logger. */
export const LOGGER = Symbol('LOGGER');

/** The compiler refuses fields of other names, also in a variable or a spread. */
type NoOtherFields<Fields> = { readonly [Name in Exclude<keyof Fields, keyof LogFields>]: never };

/** Writes one line. @param fields values of this event @param message the constant name of the event */
export interface LogMethod {
  <Fields extends LogFields>(fields: Fields & NoOtherFields<Fields>, message: string): void;
  (message: string): void;
}

export interface Logger extends Record<'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace', LogMethod> {
  /** A logger that adds these fields to every line. */
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
 * Creates a structured logger: readable in a terminal, otherwise one JSON object a line. Lines are written asynchronously, and always
 * before the process ends.
 */
export function createLogger({ name, level, format, stream }: LoggerOptions): Logger {
  const options = {
    level,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    base: { app: name, pid: process.pid },
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (fields: object) => filterLogFields(fields),
    },
    // `filterLogFields` has converted errors already.
    serializers: { err: (error: unknown) => error },
  };
  const pretty =
    format === 'pretty' || (format === 'auto' && stream === undefined && standardOutput.isTerminal);
  if (!pretty)
    return withFilteredChildren(
      pino({ ...options, hooks: { streamWrite: escapeLines } }, stream ?? openLineWriter()),
    );
  const readable = PinoPretty({
    sync: true,
    singleLine: true,
    ...(stream && { colorize: false }),
    ignore: 'pid,app,name',
    messageFormat: `${name}: {msg}`,
    ...(stream && { destination: stream }),
  });
  return withFilteredChildren(pino({ ...options, hooks: { streamWrite: escapeTexts } }, readable));
}

/** pino itself does not filter the fields of a child. */
function withFilteredChildren(logger: PinoLogger): Logger {
  const child = logger.child.bind(logger);
  return Object.assign(logger, {
    child: (fields: object) => withFilteredChildren(child(filterLogFields(fields))),
  });
}

/** pino-pretty prints texts as they are. A stack keeps its lines. */
function escapeTexts(line: string): string {
  const escape = (name: string, value: unknown): unknown => {
    if (typeof value !== 'string') return value;
    return name === 'stack' ? escapeLines(value) : escapeLine(value);
  };
  return `${JSON.stringify(JSON.parse(line, escape))}\n`;
}

let lines: LineWriter | undefined;

/** One for all loggers, because they write to the same output. */
function openLineWriter(): LineWriter {
  if (lines !== undefined) return lines;
  const output = new LineWriter();
  process.once('exit', () => output.flushSync());
  lines = output;
  return output;
}
