import { Inject, Injectable } from '@nestjs/common';
import { Readiness, type ReadinessReport } from '@ssb/platform';
import { LOG_ENGINE, type LogEngine } from './ports/log-engine.js';
import { EngineUnavailableError } from './ports/message-log.js';
import { checkAnswers, checkWrites } from './redis/checks.js';
import { Keys } from './redis/keys.js';
import { Notices } from './redis/notices.js';
import { RedisEngine } from './redis/redis-engine.js';

/**
 * Two questions. Whether traffic may come (`/health/ready`): the engines answer. Whether all is well (`/health`): they take writes as well.
 * A full engine leaves the broker ready, since reading and removing work on, and it is appends that make room where retention has passed.
 */
@Injectable()
export class BrokerHealth {
  private readonly whole = new Readiness();

  constructor(
    private readonly ready: Readiness,
    private readonly redis: RedisEngine,
    private readonly keys: Keys,
    private readonly notices: Notices,
    @Inject(LOG_ENGINE) private readonly log: LogEngine,
  ) {}

  /** From now on, both questions have an answer that is more than "started". */
  watch(): void {
    this.ready.register('redis', () => checkAnswers(this.redis));
    this.ready.register(this.log.name, () => this.log.ping());
    this.whole.register('redis', () => checkWrites(this.redis, this.keys));
    this.whole.register(this.log.name, () => this.log.check());
    for (const checks of [this.ready, this.whole]) {
      checks.register('wake-ups', () => {
        if (!this.notices.alive)
          throw new EngineUnavailableError('reconnecting', 'no wake-ups from Redis at the moment');
      });
    }
  }

  report(): Promise<ReadinessReport> {
    return this.whole.report();
  }
}
