'use strict';
// Node's fetch knows no proxy where Node has no --use-env-proxy, and the proxy is the only way out of a cage. So the first
// fetch puts another dispatcher in the place of the usual one: plain requests are asked of the proxy, others go through a tunnel.
const written = process.env.https_proxy;
if (written && typeof fetch === 'function' && !process.allowedNodeEnvironmentFlags.has('--use-env-proxy')) {
  const proxy = new URL(written);
  const DISPATCHER = Symbol.for('undici.globalDispatcher.1');

  const tunnel = ({ hostname, port, protocol, servername }, done) => {
    const net = require('node:net');
    const socket = net.connect({ host: proxy.hostname, port: Number(proxy.port) });
    if (protocol !== 'https:') return void socket.once('connect', () => done(null, socket)).once('error', done);
    const there = `${hostname}:${port || 443}`;
    let head = Buffer.alloc(0);
    const fail = (error) => {
      socket.destroy();
      done(error);
    };
    const hear = (piece) => {
      head = Buffer.concat([head, piece]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0 && head.length < 65536) return;
      socket.off('data', hear).off('error', fail).off('end', ended);
      const text = head.toString();
      if (!/^HTTP\/1\.[01] 200 /.test(text)) {
        const why = text.slice(end + 4).trim() || text.split('\r\n')[0];
        return fail(new Error(`${there} cannot be reached: ${why}`));
      }
      const secured = require('node:tls').connect({
        socket,
        servername: servername || (net.isIP(hostname) ? undefined : hostname),
        ALPNProtocols: ['http/1.1'],
      });
      secured.once('secureConnect', () => done(null, secured)).once('error', done);
    };
    const ended = () => fail(new Error(`${there} cannot be reached: the proxy hung up`));
    socket.once('connect', () => socket.write(`CONNECT ${there} HTTP/1.1\r\nHost: ${there}\r\n\r\n`));
    socket.on('data', hear).once('error', fail).once('end', ended);
  };

  const install = () => {
    // Whoever names one of its classes makes Node load its client.
    void globalThis.Response;
    const Agent = globalThis[DISPATCHER].constructor;
    class Way extends Agent {
      dispatch(options, handler) {
        const origin = new URL(options.origin);
        if (origin.protocol !== 'http:') return super.dispatch(options, handler);
        return super.dispatch({ ...options, origin: proxy.origin, path: origin.origin + options.path }, handler);
      }
    }
    globalThis[DISPATCHER] = new Way({ connect: tunnel });
  };

  const own = globalThis.fetch;
  let installed = false;
  globalThis.fetch = function fetch(...given) {
    if (!installed) {
      installed = true;
      install();
    }
    return own.apply(this, given);
  };
}
