import { Body, Controller, Get, Header, HttpCode, Post, Query, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AccountsService } from './accounts.service.js';
import { parseScopes } from '../domain/scopes.js';
import {
  type AccountResponse,
  ClientIdDto,
  type AccountListResponse,
  toAccountResponse,
  CreateAccountDto,
  ListAccountsDto,
  RotateSecretDto,
  type AccountView,
  toAccountView,
} from './accounts.dto.js';
import { AdminGuard } from './admin.guard.js';

/** The admin API: accounts, for clients with its secret. Names are in bodies, as a path would have to encode them. */
@Controller('admin/v1/accounts')
@UseGuards(AdminGuard)
export class AccountsController {
  constructor(private readonly accounts: AccountsService) {}

  /** 201 for a new account, 200 for one that was replaced or kept. */
  @Post()
  @Header('cache-control', 'no-store')
  async create(
    @Body() { clientId, scopes, bound, secret, ifExists }: CreateAccountDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AccountResponse> {
    const wanted = { clientId, scopes: parseScopes(scopes.join(' ')), bound, secret, ifExists };
    const { outcome, ...made } = await this.accounts.create(wanted);
    void reply.status(outcome === 'created' ? 201 : 200);
    return { outcome, ...toAccountResponse(made) };
  }

  @Get()
  @Header('cache-control', 'no-store')
  async list(@Query() { after, limit }: ListAccountsDto): Promise<AccountListResponse> {
    const { accounts, next } = await this.accounts.list(after, limit);
    return { accounts: accounts.map(toAccountView), ...(next !== undefined && { next }) };
  }

  @Post('rotate')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  async rotate(@Body() { clientId, secret, graceSeconds }: RotateSecretDto): Promise<AccountResponse> {
    return { outcome: 'rotated', ...toAccountResponse(await this.accounts.rotate(clientId, secret, graceSeconds)) };
  }

  @Post('disable')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  async disable(@Body() { clientId }: ClientIdDto): Promise<AccountView> {
    return toAccountView(await this.accounts.setDisabled(clientId, true));
  }

  @Post('enable')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  async enable(@Body() { clientId }: ClientIdDto): Promise<AccountView> {
    return toAccountView(await this.accounts.setDisabled(clientId, false));
  }
}
