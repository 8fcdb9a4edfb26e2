// Preloaded into a measured process: says over IPC what the process has used so far.
process.on('message', (message) => {
  if (message !== 'usage') return;
  const { user, system } = process.cpuUsage();
  process.send({
    cpuUs: user + system,
    rssBytes: process.memoryUsage.rss(),
    peakRssBytes: process.resourceUsage().maxRSS * 1024,
  });
});
process.channel.unref(); // to be asked holds no process
