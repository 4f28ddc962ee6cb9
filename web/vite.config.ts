import { defineConfig } from 'vite';
import { shortWords } from './scripts/short-words.ts';
import { slim } from './scripts/slim.ts';

// Relative addresses: the house may live below a path of a larger site.
export default defineConfig({
  base: './',
  resolve: { alias: slim },
  plugins: [shortWords()],
  build: {
    outDir: 'dist',
    target: 'es2022',
    // Every file is one that the policy `'self'` admits; nothing is put into the page as data.
    assetsInlineLimit: 0,
    cssCodeSplit: true,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rollupOptions: {
      input: { index: 'index.html', worker: 'src/worker/worker.ts' },
      // The worker is asked for by one name, whatever is in it.
      output: { entryFileNames: (chunk) => (chunk.name === 'worker' ? 'assets/worker.js' : 'assets/[name]-[hash].js') },
    },
  },
  server: {
    proxy: { '/v1': 'http://127.0.0.1:7777', '/ws': { target: 'ws://127.0.0.1:7777', ws: true } },
  },
});
