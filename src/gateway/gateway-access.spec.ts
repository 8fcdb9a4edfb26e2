import { describe, expect, it } from '@jest/globals';
import { EnvironmentError, loadEnvironment } from '../config/environment.js';
import { bindHost } from './gateway-access.js';

describe('the settings of the gateway', () => {
  it('SC-005: default to port 8001 on every address, and to the API on port 8000', () => {
    expect(loadEnvironment({})).toMatchObject({
      MCP_PORT: 8001,
      MCP_HOST: '0.0.0.0',
      TASKFLOW_API_URL: 'http://localhost:8000',
    });
  });

  it.each([
    ['', '0.0.0.0', '127.0.0.1'],
    ['', '::', '127.0.0.1'],
    ['', 'gateway.example', '127.0.0.1'],
    ['', '127.0.0.2', '127.0.0.2'],
    ['', 'localhost', 'localhost'],
    ['', '::1', '::1'],
    ['token', '0.0.0.0', '0.0.0.0'],
    ['token', '127.0.0.1', '127.0.0.1'],
  ])('with the token "%s", MCP_HOST=%s means %s', (TASKFLOW_SERVICE_TOKEN, MCP_HOST, host) => {
    expect(bindHost(loadEnvironment({ TASKFLOW_SERVICE_TOKEN, MCP_HOST }))).toBe(host);
  });

  it.each([
    ['http://api:8000/', 'http://api:8000'],
    ['https://example.org/taskyard/', 'https://example.org/taskyard'],
  ])('read TASKFLOW_API_URL=%s as %s', (given, url) => {
    expect(loadEnvironment({ TASKFLOW_API_URL: given }).TASKFLOW_API_URL).toBe(url);
  });

  it.each(['api:8000', 'ftp://api', 'http://user:secret@api', 'http://api/?key=1', 'http://api/#x', '/api'])(
    'refuse TASKFLOW_API_URL=%s',
    (given) => {
      expect(() => loadEnvironment({ TASKFLOW_API_URL: given })).toThrow(EnvironmentError);
    },
  );
});
