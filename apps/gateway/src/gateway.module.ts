import { Inject, Module, type NestModule } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { ServerTlsReload, SETTINGS } from '@ssb/platform';
import { BrokerClient } from './broker/broker-client.js';
import { BrokerHealthController } from './broker/broker-health.controller.js';
import { BrokerHttp } from './broker/broker-http.js';
import { BrokerSession } from './broker/broker-session.js';
import { BrokerStream } from './broker/broker-stream.js';
import { ChannelController } from './channels/channel.controller.js';
import { DocumentsController } from './documents/documents.controller.js';
import { EnrolmentController } from './enrolment/enrolment.controller.js';
import { EnrolmentService } from './enrolment/enrolment.service.js';
import { EventsConnections } from './events/events-connections.js';
import { EventsDialler } from './events/events-dialler.js';
import { EventsServer } from './events/events-server.js';
import {
  acceptJsonOnly,
  allowEmptyBody,
  ignoreEnrolmentBody,
  requireBasicAuth,
} from './http/request-hooks.js';
import { BalanceService } from './identity/balance.service.js';
import { IdentityController } from './identity/identity.controller.js';
import { IdentityService } from './identity/identity.service.js';
import { MessageReader } from './messages/message-reader.js';
import { MessageSender } from './messages/message-sender.js';
import { MessageController } from './messages/message.controller.js';
import type { Settings } from './settings.js';
import { SignatureController } from './signatures/signature.controller.js';
import { ClientCertificates } from './tls/client-certificates.js';
import { BrokerTls } from './tls/client-tls.js';
import { UserAuthService } from './users/user-auth.service.js';

/** One module, in which Nest runs the shutdown hooks of a provider before those of its dependencies. */
@Module({
  controllers: [
    IdentityController,
    EnrolmentController,
    MessageController,
    ChannelController,
    SignatureController,
    BrokerHealthController,
    DocumentsController,
  ],
  providers: [
    UserAuthService,
    IdentityService,
    BalanceService,
    ServerTlsReload.provider('gateway', (settings: Settings) => settings.TLS_RELOAD_INTERVAL_MS),
    ClientCertificates,
    BrokerTls,
    BrokerHttp,
    BrokerSession,
    BrokerClient,
    BrokerStream,
    MessageSender,
    MessageReader,
    EnrolmentService,
    EventsConnections,
    EventsDialler,
    EventsServer,
  ],
})
export class GatewayModule implements NestModule {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly users: UserAuthService,
    private readonly host: HttpAdapterHost<FastifyAdapter>,
  ) {}

  /** Nest calls it before it registers the routes. */
  configure(): void {
    allowEmptyBody(this.host.httpAdapter);
    acceptJsonOnly(this.host.httpAdapter);
    ignoreEnrolmentBody(this.host.httpAdapter, this.settings.ALLOWED_ORIGINS);
    requireBasicAuth(this.host.httpAdapter, this.users);
  }
}
