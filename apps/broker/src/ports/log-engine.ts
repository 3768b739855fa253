import type { MessageLog } from './message-log.js';

/** The engine that the log was opened on. */
export interface LogEngine {
  /** As readiness names it. */
  readonly name: string;
  readonly log: MessageLog;
  /** Asks for an answer; writes nothing, so a full engine gives it too. @throws EngineUnavailableError when the engine is away or stands still */
  readonly ping: () => Promise<void>;
  /** Writes a sign of life, which it does not keep. @throws EngineUnavailableError when the engine is away, stands still or is full */
  readonly check: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Injection token. */
export const LOG_ENGINE = Symbol('LOG_ENGINE');
