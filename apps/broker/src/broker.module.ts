import { Module, type DynamicModule } from '@nestjs/common';
import { SettingsError } from '@ssb/platform';
import type { Settings } from './settings.js';
import { BearerAuthentication } from './http/bearer.js';
import { BodyLimits } from './http/body-limits.js';
import { AuthController } from './http/auth.controller.js';
import { ChannelController } from './http/channel.controller.js';
import { DidController } from './http/did.controller.js';
import { BrokerHealthController } from './http/health.controller.js';
import { MessageController } from './http/message.controller.js';
import { MessagesController } from './http/messages.controller.js';
import { RoleController } from './http/role.controller.js';
import { logProviders } from './log.providers.js';
import { engineProviders } from './redis/engine.providers.js';
import { serviceProviders } from './service.providers.js';
import { BrokerHealth } from './broker-health.js';
import { BrokerLifecycle } from './broker.lifecycle.js';
import { membersOfOtherMethods } from './domain/bus-method.js';

/** The broker: HTTP interface and stream over one storage engine. */
@Module({})
export class BrokerModule {
  /** @throws SettingsError when settings contradict each other */
  static open(settings: Settings): DynamicModule {
    checkTogether(settings);
    return {
      module: BrokerModule,
      controllers: [
        AuthController,
        ChannelController,
        DidController,
        MessageController,
        MessagesController,
        RoleController,
        BrokerHealthController,
      ],
      providers: [
        ...engineProviders(settings),
        ...logProviders(settings),
        ...serviceProviders(settings),
        BearerAuthentication,
        BodyLimits,
        BrokerHealth,
        BrokerLifecycle,
      ],
    };
  }
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
