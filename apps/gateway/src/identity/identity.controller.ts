import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import type { Identity, IdentityConfig } from '@ssb/bus';
import { InvalidPrivateKeyError, parsePrivateKey, type PrivateKey } from '@ssb/identity';
import { IsString } from 'class-validator';
import { invalidPrivateKey, noPrivateKey } from '../http/gateway-exception.js';
import { BalanceService } from './balance.service.js';
import { IdentityService, type SigningIdentity } from './identity.service.js';

/** Document 002, "IdentityConfig". */
class IdentityConfigDto implements IdentityConfig {
  @IsString()
  readonly privateKey!: string;
}

/** Document 002, `/api/v1/config/identity`. The private key is never shown. */
@Controller('api/v1/config/identity')
export class IdentityController {
  constructor(
    private readonly identities: IdentityService,
    private readonly balances: BalanceService,
  ) {}

  @Post()
  @HttpCode(200)
  async setIdentity(@Body() { privateKey }: IdentityConfigDto): Promise<Identity> {
    return this.toResponse(await this.identities.replace(parseKey(privateKey)));
  }

  @Get()
  async getIdentity(): Promise<Identity> {
    const identity = this.identities.current();
    if (identity === undefined) throw noPrivateKey();
    return this.toResponse(identity);
  }

  private async toResponse({ address, publicKey }: SigningIdentity): Promise<Identity> {
    return { address, publicKey, balance: await this.balances.getBalance(address) };
  }
}

function parseKey(text: string): PrivateKey {
  try {
    return parsePrivateKey(text);
  } catch (error) {
    if (error instanceof InvalidPrivateKeyError) throw invalidPrivateKey(error.message);
    throw error;
  }
}
