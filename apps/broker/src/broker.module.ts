import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { LOGGER, readSecretFile, SettingsError, type Logger } from '@ssb/platform';
import { BrokerMetrics } from './broker-metrics.js';
import { BrokerLifecycle } from './broker.lifecycle.js';
import { ChannelController } from './channels/channel.controller.js';
import { ChannelService } from './channels/channel.service.js';
import { findDidsOfOtherMethods } from './channels/names.js';
import { SchemaValidator } from './channels/schema/schema-validator.js';
import { BrokerHealth, BrokerHealthController } from './broker-health.controller.js';
import { AttemptRateLimiter } from './identity/attempt-rate-limiter.js';
import { AuthController } from './identity/auth.controller.js';
import { BearerAuthentication } from './identity/bearer-authentication.js';
import { BearerTokens } from './identity/bearer-tokens.js';
import { BrokerIdentity, openIdentity } from './identity/broker-identity.js';
import { DidController } from './identity/did.controller.js';
import { DidDocumentService } from './identity/did-document.service.js';
import { LoginService } from './identity/login.service.js';
import { MessageController } from './messages/message.controller.js';
import { ReadMessagesController } from './messages/read-messages.controller.js';
import { ReadMessagesService } from './messages/read-messages.service.js';
import { ReceiveMessageService } from './messages/receive-message.service.js';
import { PermissionService } from './permissions/permission.service.js';
import { RESPONSE_FORMAT, RESPONSE_FORMATS } from './messages/response-format.js';
import { RoleController } from './roles/role.controller.js';
import { RoleService } from './roles/role.service.js';
import type { Settings } from './settings.js';
import { storageProviders } from './storage/storage.providers.js';
import { StreamServer } from './streaming/stream-server.js';

/** The broker's HTTP API and its WebSocket stream. */
@Module({
  controllers: [
    AuthController,
    ChannelController,
    DidController,
    MessageController,
    ReadMessagesController,
    RoleController,
    BrokerHealthController,
  ],
})
export class BrokerModule {
  /** @throws SettingsError when settings contradict each other */
  static open(settings: Settings): DynamicModule {
    checkDidMethods(settings);
    return {
      module: BrokerModule,
      providers: [
        ...storageProviders(settings),
        ...identityProviders(settings),
        {
          provide: SchemaValidator,
          inject: [LOGGER],
          useFactory: (log: Logger) => new SchemaValidator(settings.SCHEMA_CHECK_TIMEOUT_MS, log),
        },
        { provide: RESPONSE_FORMAT, useValue: RESPONSE_FORMATS[settings.BROKER_COMPATIBILITY] },
        BrokerMetrics,
        LoginService,
        RoleService,
        DidDocumentService,
        PermissionService,
        ReceiveMessageService,
        ReadMessagesService,
        ChannelService,
        StreamServer,
        BearerAuthentication,
        BrokerHealth,
        BrokerLifecycle,
      ],
    };
  }
}

function identityProviders(settings: Settings): Provider[] {
  const { TOKEN_SECRET_FILE, TOKEN_LIFETIME_MS, ATTEMPTS_PER_MINUTE } = settings;
  const now = (): Date => new Date();
  return [
    { provide: AttemptRateLimiter, useValue: new AttemptRateLimiter(ATTEMPTS_PER_MINUTE, now) },
    {
      provide: BearerTokens,
      useFactory: async () =>
        new BearerTokens(await readSecretFile(TOKEN_SECRET_FILE), TOKEN_LIFETIME_MS, now),
    },
    {
      provide: BrokerIdentity,
      inject: [LOGGER],
      useFactory: (log: Logger) =>
        openIdentity(
          settings.IDENTITY_KEY_FILE,
          settings.IDENTITY_SECRET_FILE,
          { method: settings.DID_METHOD },
          log,
        ),
    },
  ];
}

/**
 * A role issuer or channel creator with another DID method would never match a caller.
 * @throws SettingsError
 */
function checkDidMethods(settings: Settings): void {
  const problems = (['ROLE_ISSUERS', 'CHANNEL_CREATORS'] as const).flatMap((name) =>
    findDidsOfOtherMethods(settings[name], settings.DID_METHOD).map(
      (did) => `${name} contains ${did}, but DID_METHOD is ${settings.DID_METHOD}.`,
    ),
  );
  if (problems.length > 0) throw new SettingsError(problems);
}
