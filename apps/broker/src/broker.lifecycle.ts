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
import { SchemaValidator } from './channels/schema/schema-validator.js';
import { BrokerHealth } from './broker-health.controller.js';
import { BrokerIdentity } from './identity/broker-identity.js';
import { MESSAGE_LOG, type LogEngine } from './storage/message-log.js';
import { ChangeNotifications } from './storage/redis/change-notifications.js';
import { RedisEngine } from './storage/redis/redis-engine.js';
import { StreamServer } from './streaming/stream-server.js';

/** Starts notifications before it accepts streams. Closes streams before the storage engines. */
@Injectable()
export class BrokerLifecycle
  implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly health: BrokerHealth,
    private readonly redis: RedisEngine,
    private readonly notifications: ChangeNotifications,
    @Inject(MESSAGE_LOG) private readonly messageLog: LogEngine,
    private readonly streams: StreamServer,
    private readonly schemas: SchemaValidator,
    private readonly identity: BrokerIdentity,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    // Logged because the implementations determine how many signatures the broker verifies per second.
    const { did } = this.identity;
    this.log.info({ did, curve: curve.name, keccak: keccak.name }, 'signature implementations loaded');
    this.notifications.onChanged((change) => this.streams.notifyChanged(change));
    await this.notifications.start();
    this.health.registerChecks();
    this.streams.attach(this.host.httpAdapter.getHttpServer() as Server);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.streams.close();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.schemas.close();
    await this.messageLog.close();
    this.notifications.stop();
    this.redis.close();
  }
}
