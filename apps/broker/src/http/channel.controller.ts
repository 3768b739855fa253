import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post } from '@nestjs/common';
import type { Did } from '@ssb/identity';
import { ChannelAdministration } from '../channel-administration.js';
import type { Channel } from '../domain/channel.js';
import { Caller } from './bearer.js';
import { parse } from './parse.js';
import { channelPath, channelRequest } from './requests.js';

@Controller('channel')
export class ChannelController {
  constructor(@Inject(ChannelAdministration) private readonly administration: ChannelAdministration) {}

  @Post()
  @HttpCode(201)
  create(@Caller() caller: Did, @Body() body: unknown): Promise<Channel> {
    return this.administration.create(caller, parse(channelRequest, body));
  }

  @Patch()
  change(@Caller() caller: Did, @Body() body: unknown): Promise<Channel> {
    return this.administration.change(caller, parse(channelRequest, body));
  }

  @Get('pubsub')
  usable(@Caller() caller: Did): Promise<readonly Channel[]> {
    return this.administration.usable(caller);
  }

  @Get(':fqcn')
  show(@Caller() caller: Did, @Param() path: unknown): Promise<Channel> {
    return this.administration.show(caller, parse(channelPath, path).fqcn);
  }

  @Delete(':fqcn')
  @HttpCode(204)
  remove(@Caller() caller: Did, @Param() path: unknown): Promise<void> {
    return this.administration.remove(caller, parse(channelPath, path).fqcn);
  }
}
