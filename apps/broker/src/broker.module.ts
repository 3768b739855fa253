import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { LOGGER, readSecretFile, SettingsError, type Logger } from '@ssb/platform';
import { BrokerLifecycle } from './broker.lifecycle.js';
import { ChannelAdministration } from './channel-administration.js';
import { DidDocuments } from './did-documents.js';
import { Directory } from './directory.js';
import { membersOfOtherMethods } from './domain/names.js';
import { AuthController } from './http/auth.controller.js';
import { BearerAuthentication } from './http/bearer.js';
import { ChannelController } from './http/channel.controller.js';
import { DidController } from './http/did.controller.js';
import { BrokerHealth, BrokerHealthController } from './http/health.controller.js';
import { MessageController } from './http/message.controller.js';
import { RoleController } from './http/role.controller.js';
import { AttemptBudget } from './identity/attempt-budget.js';
import { BearerTokens } from './identity/bearer-tokens.js';
import { BrokerIdentity, openIdentity } from './identity/broker-identity.js';
import { Login } from './identity/login.js';
import { ReadMessages } from './read-messages.js';
import { ReceiveMessage } from './receive-message.js';
import { Roles } from './roles.js';
import { SchemaChecks } from './schema-checks.js';
import type { Settings } from './settings.js';
import { storageProviders } from './storage.providers.js';
import { StreamServer } from './stream/stream-server.js';

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
