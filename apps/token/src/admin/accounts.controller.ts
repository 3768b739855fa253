import { Body, Controller, Get, Header, Inject, Post, Query, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ManageAccounts } from '../accounts/manage-accounts.js';
import { AdminGuard } from './admin-guard.js';
import { asProblem } from './problems.js';
import { createRequest, listRequest, nameRequest, readRequest, rotateRequest } from './requests.js';
import {
  type AccountAnswer,
  type AccountsAnswer,
  answerOf,
  type ShownAccount,
  shown,
} from './shown-account.js';

/** The admin door: accounts, for whoever holds its secret. Names stand in bodies, as a path would have to encode them. */
@Controller('admin/v1/accounts')
@UseGuards(AdminGuard)
export class AccountsController {
  constructor(@Inject(ManageAccounts) private readonly accounts: ManageAccounts) {}

  /** 201 for a new account, 200 for one that was replaced or kept. */
  @Post()
  @Header('cache-control', 'no-store')
  async create(
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AccountAnswer> {
    const wanted = readRequest(createRequest, body);
    const { outcome, ...made } = await asProblem(this.accounts.create({ secret: undefined, ...wanted }));
    void reply.status(outcome === 'created' ? 201 : 200);
    return { outcome, ...answerOf(made) };
  }

  @Get()
  @Header('cache-control', 'no-store')
  async list(@Query() query: unknown): Promise<AccountsAnswer> {
    const { after, limit } = readRequest(listRequest, query);
    const { accounts, next } = await this.accounts.list(after, limit);
    return { accounts: accounts.map(shown), ...(next !== undefined && { next }) };
  }

  @Post('rotate')
  @Header('cache-control', 'no-store')
  async rotate(
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AccountAnswer> {
    const { clientId, secret, graceSeconds } = readRequest(rotateRequest, body);
    void reply.status(200);
    return {
      outcome: 'rotated',
      ...answerOf(await asProblem(this.accounts.rotate(clientId, secret, graceSeconds))),
    };
  }

  @Post('disable')
  @Header('cache-control', 'no-store')
  disable(@Body() body: unknown, @Res({ passthrough: true }) reply: FastifyReply): Promise<ShownAccount> {
    return this.setDisabled(body, true, reply);
  }

  @Post('enable')
  @Header('cache-control', 'no-store')
  enable(@Body() body: unknown, @Res({ passthrough: true }) reply: FastifyReply): Promise<ShownAccount> {
    return this.setDisabled(body, false, reply);
  }

  private async setDisabled(body: unknown, disabled: boolean, reply: FastifyReply): Promise<ShownAccount> {
    const { clientId } = readRequest(nameRequest, body);
    void reply.status(200);
    return shown(await asProblem(this.accounts.setDisabled(clientId, disabled)));
  }
}
