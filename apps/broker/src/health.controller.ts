import { Controller, Get, Inject, Injectable, Res } from '@nestjs/common';
import { Readiness, type FailureReply } from '@ssb/platform';
import { BusError } from './errors/bus-error.js';
import { EngineUnavailableError, MESSAGE_LOG, type LogEngine } from './storage/message-log.js';
import { Keys } from './storage/redis/redis-keys.js';
import { Notices } from './storage/redis/change-notifications.js';
import { RedisEngine } from './storage/redis/redis-engine.js';

/**
 * Two questions. Whether traffic may come (`/health/ready`): the engines answer. Whether all is well (`/health`): they take writes as well.
 * A full engine leaves the broker ready, since reading and removing work on, and it is appends that make room where retention has passed.
 */
@Injectable()
export class BrokerHealth {
  readonly whole = new Readiness();

  constructor(
    private readonly ready: Readiness,
    private readonly redis: RedisEngine,
    private readonly keys: Keys,
    private readonly notices: Notices,
    @Inject(MESSAGE_LOG) private readonly log: LogEngine,
  ) {}

  /** From now on, both questions have an answer that is more than "started". */
  watch(): void {
    this.ready.register('redis', () => this.redis.ping());
    this.ready.register(this.log.name, () => this.log.ping());
    this.whole.register('redis', () => this.redis.check(this.keys.signOfLife));
    this.whole.register(this.log.name, () => this.log.check());
    for (const checks of [this.ready, this.whole]) {
      checks.register('wake-ups', () => {
        if (!this.notices.alive)
          throw new EngineUnavailableError('reconnecting', 'no wake-ups from Redis at the moment');
      });
    }
  }
}

/** The health that the gateways of the bus request, besides the platform's `/health/live` and `/health/ready`. */
@Controller('health')
export class BrokerHealthController {
  constructor(private readonly broker: BrokerHealth) {}

  /** 200 `{status: "ok"}`; 503 `{status: "error", err: BUS::UNHEALTHY}` with each engine part's status and message. */
  @Get()
  async health(@Res({ passthrough: true }) reply: FailureReply): Promise<object> {
    const { status, checks } = await this.broker.whole.report();
    if (status === 'ok') return { status, checks };
    const failing = Object.entries(checks).flatMap(([name, { message }]) =>
      message === undefined ? [] : [`${name}: ${message}`],
    );
    const error = new BusError('BUS::UNHEALTHY', 'The broker runs with issues.', {
      status,
      message: failing.join('; '),
    });
    reply.status(503);
    return { status, checks, ...error.body() };
  }
}
