import { Body, Controller, Get, HttpCode, Post, Query, Res, UseGuards } from '@nestjs/common';
import type { RoleClaim, RoleState } from '@ssb/bus';
import type { Did } from '@ssb/identity';
import type { FailureReply } from '@ssb/platform';
import type { ListedClaim } from '../domain/role-state.js';
import { Roles } from '../roles.js';
import { AttemptGuard } from './attempt.guard.js';
import { Caller } from './bearer.js';
import { ListClaimsDto, RoleClaimDto, RoleDecisionDto } from './role.dto.js';

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
    const { claims, next } = await this.roles.list(caller, { state, identities, after });
    if (next !== undefined) void reply.header('link', nextClaims(next, identities, state));
    return claims;
  }

  /** No bearer token: the decision carries its issuer's signature, whoever brings it. */
  @Post('decision')
  @HttpCode(200)
  @UseGuards(AttemptGuard)
  async decide(@Body() { token }: RoleDecisionDto): Promise<RoleClaim & { readonly did: string }> {
    const { did, role, state } = await this.roles.decide(token);
    return { did, role, state };
  }
}

/** RFC 8288: where the next page is. */
function nextClaims(after: string, identities: number, state: RoleState | undefined): string {
  const query = new URLSearchParams({ after, identities: String(identities), ...(state && { state }) });
  return `</role/claims?${query.toString()}>; rel="next"`;
}
