import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { LOGGER, readSecretFile, SettingsError, type Logger } from '@ssb/platform';
import { BrokerLifecycle } from './broker.lifecycle.js';
import { ChannelAdministration } from './channels/channel.service.js';
import { DidDocuments } from './identity/did-document.service.js';
import { Directory } from './permissions/permission.service.js';
import { membersOfOtherMethods } from './channels/names.js';
import { AuthController } from './identity/auth.controller.js';
import { BearerAuthentication } from './identity/bearer-authentication.js';
import { ChannelController } from './channels/channel.controller.js';
import { DidController } from './identity/did.controller.js';
import { BrokerHealth, BrokerHealthController } from './health.controller.js';
import { MessageController } from './messages/message.controller.js';
import { RoleController } from './roles/role.controller.js';
import { AttemptBudget } from './identity/attempt-rate-limit.js';
import { BearerTokens } from './identity/bearer-tokens.js';
import { BrokerIdentity, openIdentity } from './identity/broker-identity.js';
import { Login } from './identity/login.service.js';
import { ReadMessages } from './messages/read-messages.js';
import { ReceiveMessage } from './messages/receive-message.js';
import { Roles } from './roles/role.service.js';
import { SchemaChecks } from './channels/schema/schema-validator.js';
import type { Settings } from './settings.js';
import { storageProviders } from './storage/storage.providers.js';
import { StreamServer } from './streaming/stream-server.js';

/** The broker: HTTP interface and stream over one storage engine. */
@Module({
  controllers: [
    AuthController,
    ChannelController,
    DidController,
    MessageController,
    RoleController,
    BrokerHealthController,
  ],
})
export class BrokerModule {
  /** @throws SettingsError when settings contradict each other */
  static open(settings: Settings): DynamicModule {
    checkTogether(settings);
    return {
      module: BrokerModule,
      providers: [
        ...storageProviders(settings),
        ...identityProviders(settings),
        {
          provide: SchemaChecks,
          inject: [LOGGER],
          useFactory: (log: Logger) => new SchemaChecks(settings.SCHEMA_CHECK_MS, log),
        },
        Login,
        Roles,
        DidDocuments,
        Directory,
        ReceiveMessage,
        ReadMessages,
        ChannelAdministration,
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
    { provide: AttemptBudget, useValue: new AttemptBudget(ATTEMPTS_PER_MINUTE, now) },
    {
      provide: BearerTokens,
      useFactory: async () =>
        new BearerTokens(await readSecretFile(TOKEN_SECRET_FILE), TOKEN_LIFETIME_MS, now),
    },
    {
      provide: BrokerIdentity,
      useFactory: () =>
        openIdentity(settings.IDENTITY_KEY_FILE, settings.IDENTITY_SECRET_FILE, {
          method: settings.DID_METHOD,
        }),
    },
  ];
}

/**
 * What no setting shows by itself: an issuer or creator of another DID method would never match anybody.
 * @throws SettingsError
 */
function checkTogether(settings: Settings): void {
  const problems = (['ROLE_ISSUERS', 'CHANNEL_CREATORS'] as const).flatMap((name) =>
    membersOfOtherMethods(settings[name], settings.DID_METHOD).map(
      (did) => `${name} has ${did}, but DID_METHOD is ${settings.DID_METHOD}.`,
    ),
  );
  if (problems.length > 0) throw new SettingsError(problems);
}
