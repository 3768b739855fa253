import { Body, Controller, Get, HttpCode, Inject, Ip, Post, Query, Res } from '@nestjs/common';
import { roleClaimRequest, roleDecisionRequest, type RoleClaim, type RoleState } from '@ssb/bus';
import type { Did } from '@ssb/identity';
import type { FailureReply } from '@ssb/platform';
import type { ListedClaim } from '../domain/role-state.js';
import { AttemptBudget } from '../identity/attempt-budget.js';
import { Roles } from '../roles.js';
import { Caller } from './bearer.js';
import { parse } from './parse.js';
import { claimsQuery } from './requests.js';
import { spendAttempt } from './spend-attempt.js';

@Controller('role')
export class RoleController {
  constructor(
    @Inject(Roles) private readonly roles: Roles,
    @Inject(AttemptBudget) private readonly budget: AttemptBudget,
  ) {}

  @Post('claim')
  @HttpCode(200)
  claim(@Caller() caller: Did, @Body() body: unknown): Promise<RoleClaim> {
    return this.roles.claim(caller, parse(roleClaimRequest, body).role);
  }

  @Get('claim')
  own(@Caller() caller: Did): Promise<RoleClaim[]> {
    return this.roles.own(caller);
  }

  @Get('claims')
  async list(
    @Caller() caller: Did,
    @Query() query: unknown,
    @Res({ passthrough: true }) reply: FailureReply,
  ): Promise<ListedClaim[]> {
    const { state, identities, after } = parse(claimsQuery, query);
    const { claims, next } = await this.roles.list(caller, { state, identities, after });
    if (next !== undefined) void reply.header('link', nextClaims(next, identities, state));
    return claims;
  }

  /** No bearer token: the decision carries its issuer's signature, whoever brings it. */
  @Post('decision')
  @HttpCode(200)
  async decide(@Body() body: unknown, @Ip() address: string): Promise<RoleClaim & { readonly did: string }> {
    spendAttempt(this.budget, address);
    const { did, role, state } = await this.roles.decide(parse(roleDecisionRequest, body).token);
    return { did, role, state };
  }
}

/** RFC 8288: where the next page is. */
function nextClaims(after: string, identities: number, state: RoleState | undefined): string {
  const query = new URLSearchParams({ after, identities: String(identities), ...(state && { state }) });
  return `</role/claims?${query.toString()}>; rel="next"`;
}
