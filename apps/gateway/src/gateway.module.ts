import { Module, type NestModule } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { ServerTlsReload } from '@ssb/platform';
import { BrokerClient } from './broker/broker-client.js';
import { BrokerHttp } from './broker/broker-http.js';
import { BrokerSession } from './broker/broker-session.js';
import { BrokerStream } from './broker/broker-stream.js';
import { Enrolments } from './enrolment/enrolment.service.js';
import { EventsClients } from './events/events-clients.js';
import { EventsDialler } from './events/events-dialler.js';
import { EventsServer } from './events/events-server.js';
import { Gateway } from './messages/message-sender.js';
import { ChannelsController } from './channels/channels.controller.js';
import { ConfigController } from './identity/identity.controller.js';
import { BrokerHealthController } from './broker/broker-health.controller.js';
import { MessageController } from './messages/messages.controller.js';
import { allowEmptyBody, installBasicAuth, takeJsonAlone } from './http/request-hooks.js';
import { SignatureController } from './signatures/signature.controller.js';
import { DocumentsController } from './documents/documents.controller.js';
import { Balances } from './identity/balance.service.js';
import { IdentityKeeper } from './identity/identity.service.js';
import { BrokerTls } from './tls/client-tls.js';
import { Reading } from './messages/message-reader.js';
import type { Settings } from './settings.js';
import { Users } from './users/user-auth.service.js';

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
