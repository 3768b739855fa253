import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import type { Enrolment, Identity, IdentityConfig } from '@ssb/bus';
import { IsString } from 'class-validator';
import { Enrolments } from '../enrolment/enrolment.service.js';
import { Gateway } from '../messages/message-sender.js';

/** Document 002, "IdentityConfig". */
class IdentityConfigDto implements IdentityConfig {
  @IsString()
  readonly privateKey!: string;
}

/** Identity and enrolment (document 002, `/api/v1/config`). */
@Controller('api/v1/config')
export class ConfigController {
  constructor(
    private readonly gateway: Gateway,
    private readonly enrolments: Enrolments,
  ) {}

  @Post('identity')
  @HttpCode(200)
  setIdentity(@Body() { privateKey }: IdentityConfigDto): Promise<Identity> {
    return this.gateway.setIdentity(privateKey);
  }

  @Get('identity')
  identity(): Promise<Identity> {
    return this.gateway.identity();
  }

  @Post('enrol')
  @HttpCode(200)
  enrol(): Promise<Enrolment> {
    return this.enrolments.enrol();
  }

  @Get('enrol')
  enrolment(): Promise<Enrolment> {
    return this.enrolments.current();
  }
}
