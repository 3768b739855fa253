import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { isDid, type Did } from '@ssb/identity';
import { IsIntBetween, IsOptionalField, IsTextThat } from '@ssb/platform/request-dto';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  ArrayUnique,
  IsArray,
  IsInstance,
  IsOptional,
  IsString,
  Length,
  ValidateNested,
} from 'class-validator';
import { Caller } from '../identity/bearer-authentication.js';
import { MAX_PAYLOAD_BYTES, MAX_RETENTION_MS } from '../settings.js';
import type { Channel, CheckedChannel } from './channel.js';
import { ChannelService } from './channel.service.js';
import { isFqcn, isRoleName, isTopicName, type Fqcn } from './names.js';

const MAX_ENTRIES = 500;
const MAX_SCHEMA_LENGTH = 262_144;
const MIN_AGE_NS = 1_000_000;
const MAX_AGE_NS = MAX_RETENTION_MS * 1_000_000;

const IsFqcn = (): PropertyDecorator =>
  IsTextThat(isFqcn, 'must be {channel}.channels.{app}.apps.{organisation}.iam.{root}');

const IsMember = (): PropertyDecorator =>
  IsTextThat((text) => isRoleName(text) || isDid(text), 'must be a DID or the name of a role', {
    each: true,
  });

export class ChannelPathDto {
  @IsFqcn()
  readonly fqcn!: Fqcn;
}

export class TopicDto {
  @IsTextThat(isTopicName, 'must be letters, digits, dots, dashes and underscores')
  readonly namespace!: string;

  @Length(1, MAX_SCHEMA_LENGTH)
  @IsString()
  readonly schema!: string;
}

export class ChannelDto extends ChannelPathDto {
  @IsOptionalField()
  @ValidateNested({ each: true })
  @Type(() => TopicDto)
  @ArrayUnique(({ namespace }: TopicDto) => namespace, { message: '$property must not name a topic twice' })
  @IsInstance(TopicDto, { each: true })
  @ArrayMaxSize(MAX_ENTRIES)
  @IsArray()
  readonly topics?: readonly TopicDto[];

  @IsOptionalField()
  @IsMember()
  @ArrayMaxSize(MAX_ENTRIES)
  @IsArray()
  readonly admins?: readonly string[];

  /** null removes the restriction. An empty list is refused, as it could mean no member or every caller. */
  @IsOptional()
  @IsMember()
  @ArrayMaxSize(MAX_ENTRIES)
  @ArrayNotEmpty()
  @IsArray()
  readonly publishers?: readonly string[] | null;

  @IsOptional()
  @IsMember()
  @ArrayMaxSize(MAX_ENTRIES)
  @ArrayNotEmpty()
  @IsArray()
  readonly subscribers?: readonly string[] | null;

  /** Nanoseconds. */
  @IsOptionalField()
  @IsIntBetween(MIN_AGE_NS, MAX_AGE_NS)
  readonly maxMsgAge?: number;

  /** Bytes. */
  @IsOptionalField()
  @IsIntBetween(1, MAX_PAYLOAD_BYTES)
  readonly maxMsgSize?: number;
}

@Controller('channel')
export class ChannelController {
  constructor(private readonly channels: ChannelService) {}

  @Post()
  @HttpCode(201)
  create(@Caller() caller: Did, @Body() request: ChannelDto): Promise<CheckedChannel> {
    return this.channels.create(caller, request);
  }

  @Patch()
  change(@Caller() caller: Did, @Body() request: ChannelDto): Promise<CheckedChannel> {
    return this.channels.change(caller, request);
  }

  @Get('pubsub')
  listUsable(@Caller() caller: Did): Promise<readonly Channel[]> {
    return this.channels.listUsable(caller);
  }

  @Get(':fqcn')
  show(@Caller() caller: Did, @Param() { fqcn }: ChannelPathDto): Promise<Channel> {
    return this.channels.get(caller, fqcn);
  }

  @Delete(':fqcn')
  @HttpCode(204)
  remove(@Caller() caller: Did, @Param() { fqcn }: ChannelPathDto): Promise<void> {
    return this.channels.remove(caller, fqcn);
  }
}
