import type { Provider } from '@nestjs/common';
import { LOGGER, Metrics, readSecretFile, type Logger } from '@ssb/platform';
import { ChannelAdministration } from './channel-administration.js';
import { DidDocuments } from './did-documents.js';
import { Directory } from './directory.js';
import { EventLoopShare } from './event-loop-share.js';
import { AttemptBudget } from './identity/attempt-budget.js';
import { BearerTokens } from './identity/bearer-tokens.js';
import { BrokerIdentity, openIdentity } from './identity/broker-identity.js';
import { Login } from './identity/login.js';
import { MESSAGE_LOG, type MessageLog } from './ports/message-log.js';
import { ReadMessages } from './read-messages.js';
import { ReceiveMessage } from './receive-message.js';
import { ChannelRegister } from './redis/channel-register.js';
import { Notices } from './redis/notices.js';
import { RoleRegister } from './redis/role-register.js';
import { SessionRegister } from './redis/session-register.js';
import { UsedOnce } from './redis/used-once.js';
import { Roles } from './roles.js';
import { SchemaChecks } from './schema-checks.js';
import type { Settings } from './settings.js';
import { StreamServer } from './stream/stream-server.js';

const now = (): Date => new Date();

/** What the broker does, put together; nothing here decides. */
export function serviceProviders(settings: Settings): Provider[] {
  return [
    {
      provide: SchemaChecks,
      inject: [LOGGER],
      useFactory: (log: Logger) => new SchemaChecks(settings.SCHEMA_CHECK_MS, log),
    },
    ...identityProviders(settings),
    ...messageProviders(settings),
    streamProvider(settings),
  ];
}

function identityProviders(settings: Settings): Provider[] {
  return [
    { provide: AttemptBudget, useValue: new AttemptBudget(settings.ATTEMPTS_PER_MINUTE, now) },
    {
      provide: BearerTokens,
      useFactory: async () =>
        new BearerTokens(await readSecretFile(settings.TOKEN_SECRET_FILE), settings.TOKEN_LIFETIME_MS, now),
    },
    {
      provide: BrokerIdentity,
      useFactory: () =>
        openIdentity(settings.IDENTITY_KEY_FILE, settings.IDENTITY_SECRET_FILE, {
          method: settings.DID_METHOD,
        }),
    },
    {
      provide: Login,
      inject: [BearerTokens, BrokerIdentity, UsedOnce],
      useFactory: (tokens: BearerTokens, identity: BrokerIdentity, usedOnce: UsedOnce) =>
        new Login(settings, tokens, identity, usedOnce, now),
    },
    {
      provide: Roles,
      inject: [RoleRegister, Directory, LOGGER],
      useFactory: (register: RoleRegister, directory: Directory, log: Logger) =>
        new Roles(register, directory, settings, now, log),
    },
    {
      provide: DidDocuments,
      inject: [RoleRegister, LOGGER],
      useFactory: (register: RoleRegister, log: Logger) => new DidDocuments(register, settings, log),
    },
    {
      provide: Directory,
      inject: [ChannelRegister, RoleRegister, Notices],
      useFactory: (channels: ChannelRegister, roles: RoleRegister, notices: Notices) =>
        new Directory(channels, roles, settings.USER_ROLE, notices),
    },
  ];
}

function messageProviders(settings: Settings): Provider[] {
  const defaults = {
    maxMsgAge: settings.MAX_MESSAGE_AGE_MS * 1_000_000,
    maxMsgSize: settings.MAX_MESSAGE_SIZE,
  };
  return [
    {
      provide: ReceiveMessage,
      inject: [Directory, SchemaChecks, MESSAGE_LOG, LOGGER, Metrics],
      useFactory: (
        directory: Directory,
        schemas: SchemaChecks,
        messages: MessageLog,
        log: Logger,
        metrics: Metrics,
      ) => new ReceiveMessage(directory, schemas, messages, new EventLoopShare(), settings, log, metrics),
    },
    {
      provide: ReadMessages,
      inject: [Directory, MESSAGE_LOG],
      useFactory: (directory: Directory, messages: MessageLog) => new ReadMessages(directory, messages),
    },
    {
      provide: ChannelAdministration,
      inject: [Directory, SchemaChecks, MESSAGE_LOG, LOGGER],
      useFactory: (directory: Directory, schemas: SchemaChecks, messages: MessageLog, log: Logger) => {
        const { CHANNEL_CREATORS: creators, DID_METHOD: didMethod } = settings;
        const options = { creators, didMethod, defaults, now };
        return new ChannelAdministration(directory, schemas, messages, options, log);
      },
    },
  ];
}

function streamProvider(settings: Settings): Provider {
  return {
    provide: StreamServer,
    inject: [BearerTokens, Directory, MESSAGE_LOG, SessionRegister, RoleRegister, LOGGER, Metrics],
    useFactory: (
      tokens: BearerTokens,
      directory: Directory,
      messages: MessageLog,
      sessions: SessionRegister,
      roles: RoleRegister,
      log: Logger,
      metrics: Metrics,
    ) => {
      const pushed = metrics.counter({
        name: 'broker_messages_pushed_total',
        help: 'Messages sent on streams, repeats included.',
      });
      const onPushed = (count: number): void => pushed.inc(count);
      const gaps = metrics.counter({
        name: 'broker_gaps_total',
        help: 'Times that retention took messages before a subscribed reader had them.',
      });
      const onGap = (): void => gaps.inc();
      return new StreamServer(
        tokens,
        { directory, messages, sessions, roles, log, onPushed, onGap },
        settings,
        metrics,
      );
    },
  };
}
