import { Body, Controller, Get, HttpCode, Post, Query, Res, UseGuards } from '@nestjs/common';
import { ROLE_STATES, type RoleClaim, type RoleState } from '@ssb/bus';
import type { Did } from '@ssb/identity';
import type { FailureReply } from '@ssb/platform';
import { FromDigits, IsIntFrom, IsOptionalField } from '@ssb/platform/request-dto';
import { IsIn, IsNotEmpty, IsString, Matches } from 'class-validator';
import type { ListedClaim } from './role-state.js';
import { AttemptGuard } from '../identity/attempt-rate-limit.js';
import { Roles } from './role.service.js';
import { Caller } from '../identity/bearer-authentication.js';

const MAX_IDENTITIES = 500;

export class RoleClaimDto {
  @IsNotEmpty()
  @IsString()
  readonly role!: string;
}

/** A compact JWS (ES256K) of `RoleDecision`, signed by an issuer. */
export class SignedTokenDto {
  @IsNotEmpty()
  @IsString()
  readonly token!: string;
}

/** A page of claims looks at some identities, in the order of their addresses. */
export class ListClaimsDto {
  @IsOptionalField()
  @IsIn(ROLE_STATES)
  readonly state?: RoleState;

  @IsIntFrom(1, MAX_IDENTITIES)
  @FromDigits()
  readonly identities: number = MAX_IDENTITIES;

  @IsOptionalField()
  @Matches(/^0x[0-9a-f]{40}$/, { message: '$property must be an address in small letters' })
  readonly after?: string;
}

@Controller('role')
export class RoleController {
  constructor(private readonly roles: Roles) {}

  @Post('claim')
  @HttpCode(200)
  claim(@Caller() caller: Did, @Body() { role }: RoleClaimDto): Promise<RoleClaim> {
    return this.roles.claim(caller, role);
  }

  @Get('claim')
  own(@Caller() caller: Did): Promise<RoleClaim[]> {
    return this.roles.own(caller);
  }

  @Get('claims')
  async list(
    @Caller() caller: Did,
    @Query() { state, identities, after }: ListClaimsDto,
    @Res({ passthrough: true }) reply: FailureReply,
  ): Promise<ListedClaim[]> {
    const { claims, next } = await this.roles.list(caller, state, identities, after);
    if (next !== undefined) void reply.header('link', nextClaims(next, identities, state));
    return claims;
  }

  /** No bearer token: the decision carries its issuer's signature, whoever brings it. */
  @Post('decision')
  @HttpCode(200)
  @UseGuards(AttemptGuard)
  async decide(@Body() { token }: SignedTokenDto): Promise<RoleClaim & { readonly did: string }> {
    const { did, role, state } = await this.roles.decide(token);
    return { did, role, state };
  }
}

/** RFC 8288: where the next page is. */
function nextClaims(after: string, identities: number, state: RoleState | undefined): string {
  const query = new URLSearchParams({ after, identities: String(identities), ...(state && { state }) });
  return `</role/claims?${query.toString()}>; rel="next"`;
}
