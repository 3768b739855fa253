import type { LoggerService } from '@nestjs/common';
import type { Logger } from './logger.js';

/** Lets the framework's own lines join the app's structured log; its start-up chatter is debug. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  private write(
    level: 'debug' | 'warn' | 'error' | 'trace',
    message: unknown,
    parameters: readonly unknown[],
  ): void {
    const context = parameters.at(-1);
    this.logger[level]({ context: typeof context === 'string' ? context : undefined }, text(message));
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

function text(message: unknown): string {
  if (message instanceof Error) return message.message;
  return typeof message === 'string' ? message : 'a message that is no text';
}
