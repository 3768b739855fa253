import { Module, type NestModule } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { ServerTlsReload } from '@ssb/platform';
import { BrokerClient } from './broker/broker-client.js';
import { BrokerHttp } from './broker/broker-http.js';
import { BrokerSession } from './broker/broker-session.js';
import { BrokerStream } from './broker/broker-stream.js';
import { Enrolments } from './enrolment.js';
import { EventsClients } from './events/events-clients.js';
import { EventsDialler } from './events/events-dialler.js';
import { EventsServer } from './events/events-server.js';
import { Gateway } from './gateway.js';
import { ChannelsController } from './http/channels.controller.js';
import { ConfigController } from './http/config.controller.js';
import { BrokerHealthController } from './http/health.controller.js';
import { MessageController } from './http/message.controller.js';
import { allowEmptyBody, installBasicAuth, takeJsonAlone } from './http/request-hooks.js';
import { SignatureController } from './http/signature.controller.js';
import { DocumentsController } from './http/documents.controller.js';
import { Balances } from './identity/balances.js';
import { IdentityKeeper } from './identity/identity-keeper.js';
import { BrokerTls } from './tls/client-tls.js';
import { Reading } from './reading.js';
import type { Settings } from './settings.js';
import { Users } from './users/users.js';

@Module({
  controllers: [
    ConfigController,
    MessageController,
    ChannelsController,
    SignatureController,
    BrokerHealthController,
    DocumentsController,
  ],
  providers: [
    Users,
    IdentityKeeper,
    Balances,
    ServerTlsReload.provider('gateway', (settings: Settings) => settings.TLS_RELOAD_INTERVAL_MS),
    BrokerTls,
    BrokerHttp,
    BrokerSession,
    BrokerClient,
    BrokerStream,
    Gateway,
    Reading,
    Enrolments,
    EventsClients,
    EventsDialler,
    EventsServer,
  ],
})
export class GatewayModule implements NestModule {
  constructor(
    private readonly users: Users,
    private readonly host: HttpAdapterHost<FastifyAdapter>,
  ) {}

  /** Called before the routes are made. */
  configure(): void {
    allowEmptyBody(this.host.httpAdapter);
    takeJsonAlone(this.host.httpAdapter);
    installBasicAuth(this.host.httpAdapter, this.users);
  }
}
