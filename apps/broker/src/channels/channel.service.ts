import { Inject, Injectable } from '@nestjs/common';
import { isSameIdentity, type Did } from '@ssb/identity';
import { LOGGER, SETTINGS, type Logger } from '@ssb/platform';
import { BusError } from '../errors/bus-error.js';
import { refusalError } from '../errors/refusal.js';
import { PermissionService } from '../permissions/permission.service.js';
import { canManage, hasPermission } from '../permissions/permissions.js';
import type { Settings } from '../settings.js';
import { MESSAGE_LOG, type MessageLog } from '../storage/message-log.js';
import { ChannelRepository } from '../storage/redis/channel.repository.js';
import {
  changeChannel,
  createChannel,
  toLogChannel,
  type Channel,
  type ChannelRequest,
  type CheckedChannel,
  type TopicWarning,
} from './channel.js';
import { findDidsOfOtherMethods, type Fqcn } from './names.js';
import { BadSchemaError } from './schema/drafts/prepare-schema.js';
import { SchemaValidator } from './schema/schema-validator.js';

const MAX_WARNINGS_PER_RESPONSE = 100;

@Injectable()
export class ChannelService {
  constructor(
    private readonly channels: ChannelRepository,
    private readonly permissions: PermissionService,
    private readonly schemas: SchemaValidator,
    @Inject(MESSAGE_LOG) private readonly messageLog: MessageLog,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** @throws BusError BUS::FORBIDDEN, BUS::INVALID_REQUEST (a member's DID has another method), BUS::INVALID_SCHEMA, BUS::CHANNEL_EXISTS */
  async create(caller: Did, request: ChannelRequest): Promise<CheckedChannel> {
    if (!this.isCreator(caller)) throw new BusError('BUS::FORBIDDEN', 'The caller may not create channels.');
    this.checkMembers(request);
    const schemaWarnings = await this.checkSchemas(request);
    const { fqcn } = request;
    const { MAX_MESSAGE_AGE_MS: maxAgeMs, MAX_MESSAGE_SIZE: maxMsgSize } = this.settings;
    const defaults = { maxMsgAge: maxAgeMs * 1_000_000, maxMsgSize };
    const channel = createChannel(request, defaults, caller, new Date());
    if (!(await this.channels.create(channel))) {
      throw new BusError('BUS::CHANNEL_EXISTS', `The channel ${fqcn} already exists.`, { fqcn });
    }
    this.permissions.evict({ kind: 'channel', fqcn });
    this.log.info({ channel: fqcn, by: caller }, 'channel created');
    return this.withWarnings(channel, schemaWarnings);
  }

  /** @throws BusError BUS::CHANNEL_NOT_FOUND, BUS::FORBIDDEN, BUS::INVALID_REQUEST (as for `create`), BUS::INVALID_SCHEMA */
  async change(caller: Did, request: ChannelRequest): Promise<CheckedChannel> {
    const { fqcn } = request;
    await this.findManaged(caller, fqcn);
    this.checkMembers(request);
    const schemaWarnings = await this.checkSchemas(request);
    const changed = await this.channels.change(fqcn, (channel) =>
      changeChannel(channel, request, caller, new Date()),
    );
    if (!changed) throw refusalError({ kind: 'channel-unknown', fqcn });
    this.permissions.evict({ kind: 'channel', fqcn });
    this.log.info({ channel: fqcn, by: caller }, 'channel changed');
    return this.withWarnings(changed, schemaWarnings);
  }

  /**
   * Removes the messages first, so that none remain without a channel when the log is unavailable.
   * The second `drop` removes messages that were appended in between.
   * @throws BusError BUS::CHANNEL_NOT_FOUND, BUS::FORBIDDEN
   */
  async remove(caller: Did, fqcn: Fqcn): Promise<void> {
    const channel = toLogChannel(await this.findManaged(caller, fqcn));
    await this.messageLog.drop(channel);
    await this.channels.remove(fqcn);
    this.permissions.evict({ kind: 'channel', fqcn });
    await this.messageLog.drop(channel);
    this.log.info({ channel: fqcn, by: caller }, 'channel removed');
  }

  /**
   * For callers that may manage or use the channel.
   * @throws BusError BUS::CHANNEL_NOT_FOUND, BUS::FORBIDDEN_RESOURCE, BUS::CHANNEL_UNAUTHORIZED
   */
  async get(caller: Did, fqcn: Fqcn): Promise<Channel> {
    const { channel, principal, userRole } = await this.permissions.getContext(caller, fqcn);
    if (!channel) throw refusalError({ kind: 'channel-unknown', fqcn });
    if (this.isCreator(caller) || canManage(principal, channel)) return channel;
    if (!principal.roles.has(userRole)) throw refusalError({ kind: 'not-enrolled', role: userRole });
    if (hasPermission(principal, 'subscribe', channel) || hasPermission(principal, 'publish', channel)) {
      return channel;
    }
    throw refusalError({ kind: 'no-right', right: 'subscribe', fqcn });
  }

  /** The channels on which the caller may publish or subscribe. @throws BusError BUS::FORBIDDEN */
  async listUsable(caller: Did): Promise<readonly Channel[]> {
    const usable = await this.permissions.findUsableChannels(caller, ['publish', 'subscribe']);
    if (usable.ok) return usable.channels;
    // Document 002 specifies this code for the list of channels; for messages it specifies BUS::FORBIDDEN_RESOURCE.
    throw new BusError('BUS::FORBIDDEN', 'The caller is not enrolled as a bus user.', {
      role: this.permissions.userRole,
    });
  }

  private async findManaged(caller: Did, fqcn: Fqcn): Promise<Channel> {
    const { channel, principal } = await this.permissions.getContext(caller, fqcn);
    if (!channel) throw refusalError({ kind: 'channel-unknown', fqcn });
    if (!this.isCreator(caller) && !canManage(principal, channel)) {
      throw new BusError('BUS::FORBIDDEN', `The caller may not manage ${fqcn}.`, { fqcn });
    }
    return channel;
  }

  private isCreator(caller: Did): boolean {
    return this.settings.CHANNEL_CREATORS.some((did) => isSameIdentity(did, caller));
  }

  private checkMembers({ admins, publishers, subscribers }: ChannelRequest): void {
    const members = [admins, publishers, subscribers].flatMap((list) => list ?? []);
    const { DID_METHOD: method } = this.settings;
    const [did] = findDidsOfOtherMethods(members, method);
    if (did === undefined) return;
    const reason = `${did} is not a DID of this bus. Use a DID of the method ${method}.`;
    throw new BusError('BUS::INVALID_REQUEST', reason, { did });
  }

  /** @throws BusError BUS::INVALID_SCHEMA */
  private async checkSchemas({ topics = [] }: ChannelRequest): Promise<readonly TopicWarning[]> {
    const all: TopicWarning[] = [];
    for (const { namespace: topic, schema } of topics) {
      try {
        const warnings = await this.schemas.compile(schema);
        all.push(...warnings.map((warning) => ({ topic, ...warning })));
      } catch (error) {
        if (!(error instanceof BadSchemaError)) throw error;
        const { message, known } = error;
        throw new BusError('BUS::INVALID_SCHEMA', `The schema of topic ${topic} is invalid: ${message}.`, {
          topic,
          ...(known.length > 0 && { known }),
        });
      }
    }
    return all;
  }

  private withWarnings(channel: Channel, warnings: readonly TopicWarning[]): CheckedChannel {
    const { fqcn } = channel;
    if (warnings.length === 0) return channel;
    this.log.warn({ channel: fqcn, count: warnings.length }, 'topic schemas not fully evaluated');
    return { ...channel, schemaWarnings: warnings.slice(0, MAX_WARNINGS_PER_RESPONSE) };
  }
}
