import { Module, type DynamicModule } from '@nestjs/common';
import type { Settings } from './settings.js';
import { checkTogether } from './settings-together.js';
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
