import type { MessageLog } from './message-log.js';

/** The engine that the log was opened on. */
export interface LogEngine {
  /** As readiness names it. */
  readonly name: string;
  readonly log: MessageLog;
  /** Asks the engine for a sign of life. @throws EngineUnavailableError when it does not serve, or tells of no appends at the moment */
  readonly check: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Injection token. */
export const LOG_ENGINE = Symbol('LOG_ENGINE');
