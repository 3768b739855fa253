import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import type { Did } from '@ssb/identity';
import { ChannelAdministration } from '../channel-administration.js';
import type { Channel } from '../domain/channel.js';
import { Caller } from './bearer.js';
import { ChannelDto, ChannelPathDto } from './channel.dto.js';

@Controller('channel')
export class ChannelController {
  constructor(private readonly administration: ChannelAdministration) {}

  @Post()
  @HttpCode(201)
  create(@Caller() caller: Did, @Body() request: ChannelDto): Promise<Channel> {
    return this.administration.create(caller, request);
  }

  @Patch()
  change(@Caller() caller: Did, @Body() request: ChannelDto): Promise<Channel> {
    return this.administration.change(caller, request);
  }

  @Get('pubsub')
  usable(@Caller() caller: Did): Promise<readonly Channel[]> {
    return this.administration.usable(caller);
  }

  @Get(':fqcn')
  show(@Caller() caller: Did, @Param() { fqcn }: ChannelPathDto): Promise<Channel> {
    return this.administration.show(caller, fqcn);
  }

  @Delete(':fqcn')
  @HttpCode(204)
  remove(@Caller() caller: Did, @Param() { fqcn }: ChannelPathDto): Promise<void> {
    return this.administration.remove(caller, fqcn);
  }
}
