import { Body, Controller, Get, HttpCode, Inject, Post } from '@nestjs/common';
import { identityConfig, type Enrolment, type Identity } from '@ssb/bus';
import { invalidPrivateKey } from '../domain/gateway-failure.js';
import { Enrolments } from '../enrolment.js';
import { Gateway } from '../gateway.js';

/** Identity and enrolment (document 002, `/api/v1/config`). */
@Controller('api/v1/config')
export class ConfigController {
  constructor(
    @Inject(Gateway) private readonly gateway: Gateway,
    @Inject(Enrolments) private readonly enrolments: Enrolments,
  ) {}

  @Post('identity')
  @HttpCode(200)
  async setIdentity(@Body() body: unknown): Promise<Identity> {
    const config = identityConfig.safeParse(body);
    if (!config.success) throw invalidPrivateKey('The body needs a privateKey, as text.');
    return this.gateway.setIdentity(config.data.privateKey);
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
