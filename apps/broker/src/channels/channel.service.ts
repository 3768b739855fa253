import { Inject, Injectable } from '@nestjs/common';
import { sameIdentity, type Did } from '@ssb/identity';
import { LOGGER, SETTINGS, type Logger } from '@ssb/platform';
import { BusError, refusalError } from '../errors/bus-error.js';
import {
  changeChannel,
  createChannel,
  logChannel,
  type Channel,
  type ChannelRequest,
} from './channel.js';
import { membersOfOtherMethods, type Fqcn } from './names.js';
import { holdsRight, mayManage } from '../permissions/permissions.js';
import { BadSchemaError } from './schema/topic-schema.js';
import { Directory } from '../permissions/permission.service.js';
import { MESSAGE_LOG, type MessageLog } from '../storage/message-log.js';
import { SchemaChecks } from './schema/schema-validator.js';
import type { Settings } from '../settings.js';

/** Makes, changes, shows and removes channels. */
@Injectable()
export class ChannelAdministration {
  constructor(
    private readonly directory: Directory,
    private readonly schemas: SchemaChecks,
    @Inject(MESSAGE_LOG) private readonly messages: MessageLog,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** @throws BusError BUS::FORBIDDEN, BUS::INVALID_REQUEST (a member of another DID method), BUS::INVALID_SCHEMA, BUS::CHANNEL_EXISTS */
  async create(caller: Did, request: ChannelRequest): Promise<Channel> {
    if (!this.isCreator(caller)) throw new BusError('BUS::FORBIDDEN', 'The caller may not create channels.');
    this.checkMembers(request);
    await this.checkSchemas(request);
    const { MAX_MESSAGE_AGE_MS: maxAgeMs, MAX_MESSAGE_SIZE: maxMsgSize } = this.settings;
    const defaults = { maxMsgAge: maxAgeMs * 1_000_000, maxMsgSize };
    const channel = createChannel(request, defaults, caller, new Date());
    if (!(await this.directory.channels.create(channel))) {
      throw new BusError('BUS::CHANNEL_EXISTS', `The channel ${request.fqcn} exists already.`, {
        fqcn: request.fqcn,
      });
    }
    this.directory.forget({ kind: 'channel', fqcn: channel.fqcn });
    this.log.info({ fqcn: channel.fqcn, by: caller }, 'channel created');
    return channel;
  }

  /** @throws BusError BUS::CHANNEL_NOT_FOUND, BUS::FORBIDDEN, BUS::INVALID_REQUEST (as above), BUS::INVALID_SCHEMA */
  async change(caller: Did, request: ChannelRequest): Promise<Channel> {
    await this.managed(caller, request.fqcn);
    this.checkMembers(request);
    await this.checkSchemas(request);
    const changed = await this.directory.channels.change(request.fqcn, (channel) =>
      changeChannel(channel, request, caller, new Date()),
    );
    if (!changed) throw refusalError({ kind: 'channel-unknown', fqcn: request.fqcn });
    this.directory.forget({ kind: 'channel', fqcn: request.fqcn });
    this.log.info({ fqcn: request.fqcn, by: caller }, 'channel changed');
    return changed;
  }

  /**
   * Removes the channel with all its messages. These go first: where the log's engine is away the channel stays, so that they are not
   * kept for nobody; and again at last, with what was taken meanwhile.
   */
  async remove(caller: Did, fqcn: Fqcn): Promise<void> {
    const removed = logChannel(await this.managed(caller, fqcn));
    await this.messages.drop(removed);
    await this.directory.channels.remove(fqcn);
    this.directory.forget({ kind: 'channel', fqcn });
    await this.messages.drop(removed);
    this.log.info({ fqcn, by: caller }, 'channel removed');
  }

  /** A channel, for those who manage or use it. */
  async show(caller: Did, fqcn: Fqcn): Promise<Channel> {
    const { channel, standing } = await this.directory.grounds(caller, fqcn);
    if (!channel) throw refusalError({ kind: 'channel-unknown', fqcn });
    if (this.isCreator(caller) || mayManage(standing, channel)) return channel;
    if (!standing.roles.has(this.directory.userRole)) {
      throw refusalError({ kind: 'not-enrolled', role: this.directory.userRole });
    }
    if (holdsRight(standing, 'subscribe', channel) || holdsRight(standing, 'publish', channel))
      return channel;
    throw refusalError({ kind: 'no-right', right: 'subscribe', fqcn });
  }

  /** The channels on which the caller may publish or subscribe. */
  async usable(caller: Did): Promise<readonly Channel[]> {
    const usable = await this.directory.usable(caller, ['publish', 'subscribe']);
    if (usable.ok) return usable.channels;
    // Document 002 names this code for the list of channels, another for messages.
    throw new BusError('BUS::FORBIDDEN', 'The caller is not enrolled as a bus user.', {
      role: this.directory.userRole,
    });
  }

  private async managed(caller: Did, fqcn: Fqcn): Promise<Channel> {
    const { channel, standing } = await this.directory.grounds(caller, fqcn);
    if (!channel) throw refusalError({ kind: 'channel-unknown', fqcn });
    if (!this.isCreator(caller) && !mayManage(standing, channel)) {
      throw new BusError('BUS::FORBIDDEN', `The caller may not manage ${fqcn}.`, { fqcn });
    }
    return channel;
  }

  private isCreator(caller: Did): boolean {
    return this.settings.CHANNEL_CREATORS.some((did) => sameIdentity(did, caller));
  }

  private checkMembers({ admins, publishers, subscribers }: ChannelRequest): void {
    const members = [admins, publishers, subscribers].flatMap((list) => list ?? []);
    const { DID_METHOD: method } = this.settings;
    const [stranger] = membersOfOtherMethods(members, method);
    if (stranger === undefined) return;
    const reason = `${stranger} is no DID of this bus, whose method is ${method}.`;
    throw new BusError('BUS::INVALID_REQUEST', reason, { did: stranger });
  }

  private async checkSchemas({ topics = [] }: ChannelRequest): Promise<void> {
    for (const { namespace, schema } of topics) {
      try {
        await this.schemas.compile(schema);
      } catch (error) {
        if (!(error instanceof BadSchemaError)) throw error;
        throw new BusError(
          'BUS::INVALID_SCHEMA',
          `The schema of topic ${namespace} cannot be used: ${error.message}.`,
          { topic: namespace },
        );
      }
    }
  }
}
