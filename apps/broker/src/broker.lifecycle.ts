import type { Server } from 'node:http';
import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { curve, keccak } from '@ssb/identity';
import { LOGGER, type Logger } from '@ssb/platform';
import { BrokerHealth } from './health.controller.js';
import { BrokerIdentity } from './identity/broker-identity.js';
import { MESSAGE_LOG, type LogEngine } from './storage/message-log.js';
import { Notices } from './storage/redis/change-notifications.js';
import { RedisEngine } from './storage/redis/redis-engine.js';
import { SchemaChecks } from './channels/schema/schema-validator.js';
import { StreamServer } from './streaming/stream-server.js';

/** Start: wake-ups flow before the first stream is let in. Stop: streams first, then the engine. */
@Injectable()
export class BrokerLifecycle
  implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly health: BrokerHealth,
    private readonly redis: RedisEngine,
    private readonly notices: Notices,
    @Inject(MESSAGE_LOG) private readonly messages: LogEngine,
    private readonly streams: StreamServer,
    private readonly schemas: SchemaChecks,
    private readonly identity: BrokerIdentity,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    // Which implementations loaded decides how many signatures a second can be checked.
    const { did } = this.identity;
    this.log.info({ did, curve: curve.name, keccak: keccak.name }, 'signatures are made and checked');
    this.messages.watch((fqcn) => this.streams.wake(fqcn));
    this.notices.onChanged((change) => this.streams.changed(change));
    await this.notices.start();
    this.health.watch();
    this.streams.attach(this.host.httpAdapter.getHttpServer() as Server);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.streams.close();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.schemas.close();
    await this.messages.close();
    this.notices.stop();
    this.redis.close();
  }
}
