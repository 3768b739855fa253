import { Body, Controller, Get, Header, HttpCode, Post, Query, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ManageAccounts } from '../accounts/manage-accounts.js';
import { readScopes } from '../domain/scopes.js';
import {
  type AccountAnswer,
  AccountNameDto,
  type AccountsAnswer,
  answerOf,
  CreateAccountDto,
  ListAccountsDto,
  RotateSecretDto,
  type ShownAccount,
  shown,
} from './accounts.dto.js';
import { AdminGuard } from './admin-guard.js';

/** The admin API: accounts, for clients with its secret. Names are in bodies, as a path would have to encode them. */
@Controller('admin/v1/accounts')
@UseGuards(AdminGuard)
export class AccountsController {
  constructor(private readonly accounts: ManageAccounts) {}

  /** 201 for a new account, 200 for one that was replaced or kept. */
  @Post()
  @Header('cache-control', 'no-store')
  async create(
    @Body() { clientId, scopes, bound, secret, ifThere }: CreateAccountDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AccountAnswer> {
    const wanted = { clientId, scopes: readScopes(scopes.join(' ')), bound, secret, ifThere };
    const { outcome, ...made } = await this.accounts.create(wanted);
    void reply.status(outcome === 'created' ? 201 : 200);
    return { outcome, ...answerOf(made) };
  }

  @Get()
  @Header('cache-control', 'no-store')
  async list(@Query() { after, limit }: ListAccountsDto): Promise<AccountsAnswer> {
    const { accounts, next } = await this.accounts.list(after, limit);
    return { accounts: accounts.map(shown), ...(next !== undefined && { next }) };
  }

  @Post('rotate')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  async rotate(@Body() { clientId, secret, graceSeconds }: RotateSecretDto): Promise<AccountAnswer> {
    return { outcome: 'rotated', ...answerOf(await this.accounts.rotate(clientId, secret, graceSeconds)) };
  }

  @Post('disable')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  async disable(@Body() { clientId }: AccountNameDto): Promise<ShownAccount> {
    return shown(await this.accounts.setDisabled(clientId, true));
  }

  @Post('enable')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  async enable(@Body() { clientId }: AccountNameDto): Promise<ShownAccount> {
    return shown(await this.accounts.setDisabled(clientId, false));
  }
}
