import type { LoggerService } from '@nestjs/common';
import type { Logger } from './logger.js';

/** Nest classes that log a start-up error and also throw it. */
const START_CONTEXTS: ReadonlySet<unknown> = new Set(['ExceptionHandler', 'NestApplication']);

/** Writes the framework's own lines to the app's log. Its start-up messages are debug. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  private write(
    level: 'debug' | 'warn' | 'error' | 'trace',
    message: unknown,
    parameters: readonly unknown[],
  ): void {
    const context = parameters.at(-1);
    if (level === 'error' && START_CONTEXTS.has(context)) return;
    this.logger[level]({ context: typeof context === 'string' ? context : undefined }, toText(message));
  }

  log(message: unknown, ...parameters: unknown[]): void {
    this.write('debug', message, parameters);
  }

  error(message: unknown, ...parameters: unknown[]): void {
    this.write('error', message, parameters);
  }

  warn(message: unknown, ...parameters: unknown[]): void {
    this.write('warn', message, parameters);
  }

  debug(message: unknown, ...parameters: unknown[]): void {
    this.write('debug', message, parameters);
  }

  verbose(message: unknown, ...parameters: unknown[]): void {
    this.write('trace', message, parameters);
  }
}

function toText(message: unknown): string {
  if (message instanceof Error) return message.message;
  return typeof message === 'string' ? message : 'a message that is not text';
}
