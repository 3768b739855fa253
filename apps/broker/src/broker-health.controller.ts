import { Controller, Get, Inject, Injectable, Res } from '@nestjs/common';
import { Readiness, type HttpReply } from '@ssb/platform';
import { BusError } from './errors/bus-error.js';
import { EngineUnavailableError, MESSAGE_LOG, type LogEngine } from './storage/message-log.js';
import { ChangeNotifications } from './storage/redis/change-notifications.js';
import { RedisEngine } from './storage/redis/redis-engine.js';
import { RedisKeys } from './storage/redis/redis-keys.js';

/**
 * `/health/ready` of the management port checks that the storage engines respond, `/health` of the interface that they accept writes.
 * With a full engine the broker stays ready, because reads work and retention frees space.
 */
@Injectable()
export class BrokerHealth {
  /** Checks of `/health`. */
  readonly full = new Readiness();

  constructor(
    private readonly ready: Readiness,
    private readonly redis: RedisEngine,
    private readonly keys: RedisKeys,
    private readonly notifications: ChangeNotifications,
    @Inject(MESSAGE_LOG) private readonly log: LogEngine,
  ) {}

  registerChecks(): void {
    this.ready.register('redis', () => this.redis.ping());
    this.ready.register(this.log.name, () => this.log.ping());
    this.full.register('redis', () => this.redis.checkWrite(this.keys.writeProbe));
    this.full.register(this.log.name, () => this.log.checkWrite());
    for (const checks of [this.ready, this.full]) {
      checks.register('notifications', () => {
        if (!this.notifications.isSubscribed)
          throw new EngineUnavailableError('reconnecting', 'no notifications from Redis at the moment');
      });
    }
  }
}

/** The health check for gateways, on the interface. The report of the management port is the platform's. */
@Controller('health')
export class BrokerHealthController {
  constructor(private readonly broker: BrokerHealth) {}

  /** 200 `{status: "ok"}`; 503 `{status: "error", err: BUS::UNHEALTHY}` with the message of each failing check. */
  @Get()
  async health(@Res({ passthrough: true }) reply: HttpReply): Promise<object> {
    const { status, checks } = await this.broker.full.report();
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
