import { Body, Controller, Get, HttpCode, Post, Query, Res, UseGuards } from '@nestjs/common';
import { ROLE_STATES, type RoleClaim, type RoleState } from '@ssb/bus';
import type { Did } from '@ssb/identity';
import type { HttpReply } from '@ssb/platform';
import { ParseDigits, IsIntBetween, IsOptionalField } from '@ssb/platform/request-dto';
import { IsIn, IsNotEmpty, IsString, Matches } from 'class-validator';
import { AttemptRateLimitGuard } from '../identity/attempt-rate-limiter.js';
import { Caller } from '../identity/bearer-authentication.js';
import type { ListedClaim } from './role-state.js';
import { RoleService } from './role.service.js';

const MAX_IDENTITIES_PER_PAGE = 500;

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

export class ListClaimsDto {
  @IsOptionalField()
  @IsIn(ROLE_STATES)
  readonly state?: RoleState;

  /** Page size, counted in identities, not in claims. Identities are in the order of their addresses. */
  @IsIntBetween(1, MAX_IDENTITIES_PER_PAGE)
  @ParseDigits()
  readonly identities: number = MAX_IDENTITIES_PER_PAGE;

  /** Address of the last identity of the previous page. */
  @IsOptionalField()
  @Matches(/^0x[0-9a-f]{40}$/, { message: '$property must be an address in lower case' })
  readonly after?: string;
}

@Controller('role')
export class RoleController {
  constructor(private readonly roles: RoleService) {}

  @Post('claim')
  @HttpCode(200)
  claim(@Caller() caller: Did, @Body() { role }: RoleClaimDto): Promise<RoleClaim> {
    return this.roles.claim(caller, role);
  }

  @Get('claim')
  listOwnClaims(@Caller() caller: Did): Promise<RoleClaim[]> {
    return this.roles.listOwnClaims(caller);
  }

  @Get('claims')
  async listClaims(
    @Caller() caller: Did,
    @Query() { state, identities, after }: ListClaimsDto,
    @Res({ passthrough: true }) reply: HttpReply,
  ): Promise<ListedClaim[]> {
    const { claims, next } = await this.roles.listClaims(caller, state, identities, after);
    if (next !== undefined) void reply.header('link', linkToNextPage(next, identities, state));
    return claims;
  }

  /** Needs no bearer token, because the decision is signed by its issuer. */
  @Post('decision')
  @HttpCode(200)
  @UseGuards(AttemptRateLimitGuard)
  async decide(@Body() { token }: SignedTokenDto): Promise<RoleClaim & { readonly did: string }> {
    const { did, role, state } = await this.roles.decide(token);
    return { did, role, state };
  }
}

/** RFC 8288. */
function linkToNextPage(after: string, identities: number, state: RoleState | undefined): string {
  const query = new URLSearchParams({ after, identities: String(identities), ...(state && { state }) });
  return `</role/claims?${query.toString()}>; rel="next"`;
}
