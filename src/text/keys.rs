//! The table: one line a text, English beside Chinese, so that neither can be forgotten.

macro_rules! keys {
    ($($key:ident: $en:literal, $zh:literal;)*) => {
        /// Names a text of the window or of a figure.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "each key is documented by its text")]
        pub enum Key {
            $($key,)*
        }

        impl Key {
            /// Every key.
            pub const ALL: &[Self] = &[$(Self::$key,)*];

            /// The text in English and in Chinese.
            pub(super) fn texts(self) -> (&'static str, &'static str) {
                match self {
                    $(Self::$key => ($en, $zh),)*
                }
            }
        }
    };
}

keys! {
    // Between the parts of a list; a thing and what is said of it; a thing and the key that does it
    Separator: ", ", "、";
    Says: "{0}: {1}", "{0}：{1}";
    WithKey: "{0} ({1})", "{0}（{1}）";
    // What another program or the system says
    AsItIs: "{0}", "{0}";

    // What the model runs with: {0} GPU; {0} profile, {1} what was changed in it
    ProfileOf: "{0} profile", "{0} 机器参数";
    ProfileChanged: "{0}, {1}", "{0}，{1}";

    // What an operation is called where its statement has no label: {0} what it is about
    LabelWork: "host work", "主机端计算";
    LabelHostFunction: "host function", "主机回调函数";
    LabelHostMemory: "host memory", "主机内存";
    LabelHostFree: "free", "释放主机内存";
    LabelRead: "read", "主机读取";
    LabelWrite: "write", "主机写入";
    LabelAllocate: "allocate {0}", "分配 {0}";
    LabelFree: "free {0}", "释放 {0}";
    LabelRecord: "record {0}", "记录 {0}";
    LabelKernel: "kernel {0}", "Kernel {0}";
    LabelBeginCapture: "begin capture", "开始捕获";
    LabelEndCapture: "end capture", "结束捕获";
    LabelInstantiate: "instantiate", "实例化";
    LabelUpdate: "update {0}", "更新 {0}";
    LabelChild: "child {0}", "子图 {0}";
    LabelReplay: "replay {0}", "重放 {0}";
    LabelDestroy: "destroy {0}", "销毁 {0}";
    LabelStartThread: "start {0}", "创建线程 {0}";
    LabelJoinThread: "join {0}", "等待线程 {0} 结束";
    LabelSignal: "signal {0}", "发出信号 {0}";
    LabelAwait: "await {0}", "等待信号 {0}";
    // Operations of PyTorch that are no call by name, and what the recording itself names
    OpScalar: "x * number", "x * 常数";
    OpInPlace: "in place", "原地操作";
    OpCustom: "custom kernel", "自定义 Kernel";
    NameQueueFull: "launch queue full", "发射队列已满";
    NameReplay: "graph replay", "CUDA Graph 重放";

    // Streams and threads that every program has, as sentences name them; {0} name that the program gives
    StreamDefault: "default", "默认流";
    StreamPerThread: "per_thread", "每线程默认流";
    StreamNamed: "{0}", "{0} 流";
    ThreadMain: "main", "主线程";
    // {0} number that the system gives
    ThreadNumbered: "thread {0}", "线程 {0}";
    NoName: "(no name)", "（无名）";
    // The same below the names of lanes
    LaneDefaultUnder: "default", "旧式（Legacy）";

    // Lanes
    LaneHost: "Host", "主机";
    LaneHostThread: "Host thread {0}", "主机线程 {0}";
    LaneHostUnder: "CPU thread", "CPU 线程";
    LaneRegions: "Regions", "命名区段";
    // {0} title of a track, {1} number
    LaneRow: "{0}, row {1}", "{0}，第 {1} 行";
    LaneOfDevice: "{0}, GPU {1}", "{0}，GPU {1}";
    LaneQueue: "Launch queue", "发射队列";
    LaneQueueUnder: "queue depth", "队列深度";
    LaneSms: "SM map", "SM 分布图";
    LaneSmsUnder: "blocks on each SM", "每个 SM 上的线程块";
    LaneMemory: "GPU memory", "显存";
    LaneMemoryUnder: "segments", "显存段";
    LaneMemoryUse: "Memory held", "显存占用";
    LaneMemoryUseUnder: "allocated, reserved", "已分配，已保留";
    LaneBlocks: "{0} memory blocks in {1} segments; peak: {2} allocated, {3} reserved", "{0} 个显存块，{1} 个显存段；峰值：已分配 {2}，已保留 {3}";
    FactBusySms: "SMs busy", "忙碌的 SM 数";
    LaneStream: "Stream {0}", "流 {0}";
    LaneStreamDefault: "Default stream", "默认流";
    LaneCopyH2D: "Copy H2D", "H2D 拷贝";
    LaneCopyD2H: "Copy D2H", "D2H 拷贝";
    LaneCopyUnder: "copy engine", "拷贝引擎";

    // What the badge of a hazard stands for
    ClassRaw: "RAW: read after write, out of order", "RAW：写后读，先后没有保证";
    ClassWar: "WAR: write after read, out of order", "WAR：读后写，先后没有保证";
    ClassWaw: "WAW: write after write, out of order", "WAW：写后写，先后没有保证";
    ClassHostRaw: "HOST-RAW: read after write, out of order, one of them by the host", "HOST-RAW：写后读，其中一方是主机，先后没有保证";
    ClassHostWar: "HOST-WAR: write after read, out of order, one of them by the host", "HOST-WAR：读后写，其中一方是主机，先后没有保证";
    ClassReuse: "REUSE: a memory block is reused too early", "REUSE：显存块过早复用";
    ClassPool: "POOL: graphs overwrite each other in a shared private pool", "POOL：共用私有显存池的内容互相覆盖";
    ClassStale: "STALE: contents are out of date", "STALE：内容已经过时";
    ClassUncaptured: "UNCAPTURED: an operation was not captured into the graph", "UNCAPTURED：操作没有捕获进图";
    ClassFragile: "FRAGILE: right only by what no documentation promises", "FRAGILE：没有出错，但顺序没有保证";

    // Hazards: object, first operation, second operation; from, to, and a stream in words
    HazardRaw: "{0}: “{2}” reads while “{1}” may still be writing.", "{0}：“{2}”读取时，“{1}”可能还没写完。";
    HazardWar: "{0}: “{2}” overwrites what “{1}” may still be reading.", "{0}：“{2}”覆盖它时，“{1}”可能还在读。";
    HazardWaw: "{0}: “{1}” and “{2}” write in no particular order.", "{0}：“{1}”和“{2}”都要写它，先后顺序没有保证。";
    HazardHostRaw: "{0}: the host reads before “{1}” is certain to be done.", "{0}：主机读取它时，“{1}”不一定已经完成。";
    HazardHostWar: "{0}: the host overwrites what “{1}” may still need.", "{0}：主机覆盖它时，“{1}”可能还在用。";
    HazardReuse: "{0}: its memory block has been handed to another tensor; “{2}” uses it while “{1}” may not be done.", "{0}：它的显存块已经分给别的张量，“{2}”正要使用，而“{1}”可能还没用完。";
    HazardPool: "{0}: “{1}” and “{2}” share memory of a graph's pool, and each assumes it is the only owner.", "{0}：“{1}”和“{2}”用的是私有显存池里的同一块显存，却都以为它归自己独用。";
    HazardStale: "{0}: the graph's “{2}” uses contents that went stale at “{1}”.", "{0}：图里的“{2}”用到的内容，从“{1}”起就已过时。";
    HazardLifetime: "{0}: nothing orders “{1}” and “{2}”, and one of them allocates or frees the memory.", "{0}：“{1}”和“{2}”的先后顺序没有保证，而其中一个在分配或释放这块显存。";
    HazardAfterFree: "{0}: “{2}” uses memory that “{1}” has freed.", "{0}：“{2}”还在用这块显存，而“{1}”已经把它释放了。";
    HazardOwner: "{0}: the graph's “{1}” goes on writing memory that belongs to “{2}” by now.", "{0}：图里的“{1}”还在往这块显存里写，而它早已归“{2}”所有。";
    HazardOnce: "{0}: “{1}” ran on the host during the capture only; no replay repeats it, so “{2}” reads a stale value.", "{0}：“{1}”只在捕获时由主机做过一次，重放不会再做，所以“{2}”读到的是旧值。";
    HazardPart: "{0} was updated only in part: the rest, which “{2}” reads too, still holds what “{1}” put there before.", "{0} 只更新了一部分：其余部分还是“{1}”上次写入的内容，而“{2}”会一起读到。";
    HazardWarmUp: "{0}: the warm-up ran “{1}” too, so the first replay of “{2}” starts from values that have already moved on.", "{0}：预热时也执行过“{1}”，所以“{2}”第一次重放是从预热改过的内容开始的。";
    HazardUncaptured: "{0}: “{1}” ran once during the capture and is not part of the graph, where “{2}” needs its result.", "{0}：“{1}”只在捕获期间执行过一次，没有捕获进图，而图里的“{2}”需要它的结果。";
    HazardFragile: "{0}: “{2}” comes after “{1}” only because some call happens to wait, and no documentation promises that it will.", "{0}：“{2}”排在“{1}”之后，只是因为某个调用恰好等待了，文档并不保证它会等。";
    FixWait: "Missing: {1} must wait for {0}.", "缺少依赖：{1} 应等待 {0}。";
    FixSync: "Missing: the host ({1}) must wait for {0} first.", "缺少同步：主机（{1}）应先等 {0} 完成。";
    FixRecordStream: "Missing: {0}.record_stream({1}); or keep a reference until {2} is done.", "缺少 {0}.record_stream({1})；也可以一直保留引用，直到 {2} 用完。";
    FixRefresh: "Update all of {0}, or ignore what {1} computes from the rest.", "应把 {0} 整块更新，否则不要采用 {1} 由其余部分算出的结果。";
    FixKeep: "{0} must be neither freed nor overwritten until {1} is done with it.", "{1} 用完之前，不能释放或改写 {0}。";
    HazardSpoiled: "In this run it corrupted data.", "这次运行确实发生了数据踩踏。";
    HazardLucky: "It did no harm in this run, by luck.", "这次运行碰巧没有受它影响。";

    // What a run came to. Errors: {0} name and number, {1} call, {2} cause; of freed memory: {0} work, {1} memory, {2} who freed it
    ErrorSentence: "{0} in “{1}”: {2}", "“{1}”出错，{0}：{2}";
    ErrorSkippedOne: "; 1 operation was skipped", "；1 个操作因此没有执行";
    ErrorSkippedMany: "; {0} operations were skipped", "；{0} 个操作因此没有执行";
    ErrorMoreOne: "; and 1 more error", "；另有 1 个错误";
    ErrorMoreMany: "; and {0} more errors", "；另有 {0} 个错误";
    ErrorFreedMemory: "“{0}” used the memory of {1} after “{2}” had given it back", "“{0}”访问了 {1} 的显存，而“{2}”已经把它释放";
    ErrorInvalidValue: "the driver does not accept an argument of this call", "驱动不接受这次调用的某个参数";
    ErrorMemoryAllocation: "there was not enough memory on the device", "设备上的显存不够";
    ErrorInvalidResourceHandle: "what the call names does not exist, or not any more", "这次调用所指的对象不存在，或已被销毁";
    ErrorIllegalState: "what the call names is in a state in which this is not possible", "这次调用所指的对象正处在不允许这样做的状态";
    ErrorNotReady: "the work that is asked about is not done yet", "所查询的工作尚未完成";
    ErrorIllegalAddress: "a kernel touched memory that is not mapped, and every later call on this device fails", "有 Kernel 访问了没有映射的显存，此后这个设备上的每次调用都会失败";
    ErrorLaunchOutOfResources: "no SM has room for a block of this kernel", "没有一个 SM 放得下这个 Kernel 的线程块";
    ErrorNotPermitted: "this is not permitted here", "此处不允许这样做";
    ErrorNotSupported: "this is not supported here", "此处不支持这样做";
    ErrorCaptureUnsupported: "this call cannot go into a graph, and it has broken the capture that was going on", "这个调用不能捕获进图，正在进行的捕获因此失效";
    ErrorCaptureInvalidated: "an earlier error had broken the capture", "捕获此前已经因错误而失效";
    ErrorCaptureMerge: "it would have joined two captures into one", "它会把两次独立的捕获连成一次";
    ErrorCaptureUnmatched: "the capture began on another stream than it was ended on", "结束捕获的流不是开始捕获的那个流";
    ErrorCaptureUnjoined: "a stream that had been drawn into the capture was not joined again", "被带进捕获的某个流，到捕获结束时还没有汇合回来";
    ErrorCaptureIsolation: "captured work would have depended on work that is not captured", "捕获进图的操作将会依赖没有捕获的操作";
    ErrorCaptureImplicit: "the legacy default stream would have had to wait for a stream that was being captured", "旧式默认流会因此等待一个正在捕获的流";
    ErrorCapturedEvent: "the event was recorded in a capture, and means nothing outside of it", "这个事件是在捕获中记录的，在捕获之外没有意义";
    ErrorCaptureWrongThread: "another host thread had begun the capture", "这次捕获是由另一个主机线程开始的";
    ErrorGraphUpdate: "the new graph differs from the instantiated one in more than its parameters", "新图与已实例化的图之间，不只是参数不同";
    // {0} name, {1} value, {2} what it should be
    ValueShouldBe: "{0} is {1}, should be {2}", "{0} 是 {1}，应为 {2}";
    ShouldBe: "should be {0}", "应为 {0}";
    OverwrittenHere: "overwritten from here on", "从这里起被覆盖";
    ReadTooEarly: "read too early", "过早读取";
    ErrorHint: "Show the call that failed", "显示出错的那次调用";
    FactCall: "Call", "调用";

    // Kinds, for the legend and the inspector
    KindKernel: "kernel", "Kernel";
    KindCopy: "copy", "拷贝";
    KindMemset: "memset", "memset";
    KindEvent: "event", "事件";
    KindCall: "CUDA call", "CUDA 调用";
    KindAbove: "Python, dispatcher, ATen", "Python、Dispatcher、ATen";
    KindAllocation: "allocate, free", "内存分配与释放";
    KindBlocked: "host blocked", "主机阻塞";
    KindWork: "host work", "主机端计算";
    KindCapture: "graph capture", "CUDA Graph 捕获";
    KindAnnotation: "region", "命名区段";
    KindHostFunction: "host function", "主机回调函数";
    KindBlock: "memory of a tensor", "张量的显存";
    KindWaiting: "freed, waits for a stream", "已释放，等待其他流";
    KindCached: "cached", "空闲（仍在缓存中）";
    KindUnused: "never used, not to scale", "从未使用（未按比例绘制）";
    LegendMore: "{0} more", "另有 {0} 项";
    KindIdle: "GPU idle", "GPU 空转";
    KindGraphKernel: "kernel of a graph", "图中的 Kernel";
    LayerPython: "Python", "Python";
    LayerDispatcher: "dispatcher", "Dispatcher";
    LayerAten: "ATen", "ATen";

    // Labels in the timeline and in figures
    BlockedIn: "blocked in {0}", "阻塞于 {0}";
    IdleBecause: "idle: {0}", "空转：{0}";
    MemoryWaits: "{0} waits for {1}", "{0} 等待 {1}";
    MemorySteady: "{0} throughout", "全程 {0}";
    MemoryPool: "pool {0}", "私有池 {0}";
    MemoryAllocated: "peak {0} allocated", "已分配峰值 {0}";
    MemoryReserved: "peak {0} reserved", "已保留峰值 {0}";
    QueueMax: "max {0}", "最深 {0}";
    QueueScale: "max {0} · log scale, full at {1}", "最深 {0} · 对数刻度，{1} 为满";

    // Causes of idle time
    CauseLaunchBound: "launch-bound", "受限于 CPU 发射";
    CauseHostWork: "host work", "主机忙于其他工作";
    CauseHostBlocked: "host blocked", "主机阻塞";
    CauseEventWait: "event wait", "等待事件";
    CauseCopyWait: "copy wait", "等待拷贝";
    CauseEngineBusy: "copy engine busy", "拷贝引擎忙";
    CauseNoRoom: "no room on the SMs", "SM 没有空位";
    CauseLegacyBarrier: "legacy barrier", "旧式默认流屏障";
    CauseHostFunction: "host function", "主机回调函数";
    CauseAllocation: "allocate, free", "内存分配与释放";
    CauseKernelGap: "gap between operations", "操作间隙";
    CauseGraphGap: "gap between graph nodes", "图节点间隙";
    CauseLaunchLatency: "launch latency", "发射延迟";

    // What of a trace has no place in the picture
    NotShown: "not shown: {0}", "没有显示：{0}";
    LeftUnread: "events that cannot be read", "个无法读取的事件";
    LeftBegins: "begins and ends", "个只有开始或结束的事件";
    LeftInstants: "instants and counters", "个瞬时事件或计数器";
    LeftNoCategory: "without a category", "个没有类别的事件";
    LeftNoTime: "without a time", "个没有时间的事件";
    LeftLaunches: "launches that the file lacks", "次文件中没有的发射";

    // Where a picture comes from: {0} GPU, {1} version
    SourceDevice: "{0}, driver {1}", "{0}，驱动 {1}";
    SourceModel: "model", "模型";
    SourceMeasured: "measured", "实测";
    SourceImported: "imported", "导入";
    SourceHost: "PyTorch host costs", "PyTorch 主机开销";
    SourceHostEmulated: "PyTorch host time emulated", "PyTorch 主机开销（忙等模拟）";

    // Why a bubble: {0} next operation, {1} call of the host, {2} time still blocked, {3} time to launch
    BubbleSentence: "{0} idle for {1}: {2}", "空转 {1}（{0}）：{2}";
    BubbleStages: "{0} Stages: {1}.", "{0}各阶段：{1}。";
    PlaceGpu: "GPU", "GPU";
    WhyLaunchBound: "nothing was queued, and the host needed {3} to launch {0}.", "队列已空，主机还要 {3} 才能发射 {0}。";
    WhyHostWork: "nothing was queued: the host was busy with {1}, and launched {0} only {3} later.", "队列已空：主机在做 {1}，{3} 之后才发射 {0}。";
    WhyHostBlocked: "nothing was queued: the host stayed blocked in {1} for another {2}, then needed {3} to launch {0}.", "队列已空：主机在 {1} 中又阻塞了 {2}，之后再用 {3} 才发射 {0}。";
    WhyEventWait: "{0} waited for an event of another stream.", "{0} 在等另一个流中的事件。";
    WhyCopyWait: "{0} waited for a copy.", "{0} 在等一次拷贝完成。";
    WhyEngineBusy: "{0} waited until the copy engine was done with another copy.", "{0} 在等拷贝引擎完成另一次拷贝。";
    WhyNoRoom: "{0} waited until SMs had room for its blocks.", "{0} 在等 SM 腾出放置线程块的空位。";
    WhyLegacyBarrier: "{0} waited at the barrier of the legacy default stream.", "{0} 被旧式默认流的屏障挡住。";
    WhyHostFunction: "{0} waited for a host function in its stream.", "{0} 在等同一个流中的主机回调函数。";
    WhyAllocation: "nothing was queued: the host was in {1}, and launched {0} {3} later.", "队列已空：主机正在执行 {1}，{3} 之后才发射 {0}。";
    WhyKernelGap: "{0} was already queued; this is the hardware's own gap between two operations.", "{0} 早已在排队，这是硬件在两个操作之间的间隙。";
    WhyGraphGap: "this is the hardware's own gap between two nodes of a graph.", "这是硬件在图的两个节点之间的间隙。";

    // What limits a run
    VerdictNoGpu: "The GPU had nothing to do.", "这次运行中 GPU 没有任何操作。";
    VerdictBroken: "The program broke the GPU's context, so there is no traced run and nothing is known about what the GPU did. The errors say where it broke.", "程序破坏了 GPU 的上下文：没有一次带观测的运行，GPU 做了什么无从得知。出错位置见“这次运行的错误”。";
    // {0} call, {1} idle each time, {2} how often, {3} share
    VerdictDrained: "Each {0} drains the queue: the GPU idles about {1} until the host has launched again, {2} times, {3} of the run.", "每次 {0} 都把队列抽干：GPU 空转约 {1}，等主机重新发射。共 {2} 次，占总耗时的 {3}。";
    // {0} list of parts
    VerdictSerial: "{0}, one after another: they never overlap.", "{0}，一个接一个：它们从不重叠。";
    // {0} list of parts, {1} overlap
    VerdictPartlySerial: "{0}, mostly one after another: they overlap for only {1}.", "{0}，大多一个接一个：重叠的时间只有 {1}。";
    // {0} engine, {1} time, {2} wall time, {3} share
    VerdictEngine: "{0} take {1} of the run's {2} ({3}): only faster or fewer of them make it shorter.", "总耗时 {2} 中有 {1}（{3}）是 {0}：只有让它们更快或更少，运行才会更短。";
    // The same, and {4} what comes next, {5} its share
    VerdictEngineNext: "{0} take {1} of the run's {2} ({3}); next comes {4} ({5}).", "总耗时 {2} 中有 {1}（{3}）是 {0}；其次：{4}（{5}）。";
    // {0} host time per launch, {1} GPU time per launch, {2} share
    VerdictLaunching: "Launching limits this run: the host needs {0} per launch, the GPU only {1} to execute it. Launching takes {2} of the run.", "受限于 CPU 发射 (Launch-Bound)：主机每次发射要用 {0}，GPU 执行只用 {1}。发射占总耗时的 {2}。";
    // {0} name, {1} time, {2} share
    VerdictHostWork: "The host's own work ({0}) takes {1}, {2} of the run, and the GPU waits for it.", "主机在做自己的工作（{0}），用去 {1}，占总耗时的 {2}，GPU 只能等它。";
    VerdictAllocation: "Allocating and freeing memory (mostly {0}) takes {1}, {2} of the run.", "内存分配与释放（主要是 {0}）用去 {1}，占总耗时的 {2}。";
    // {0} operations, {1} time, {2} share, {3} time of the operations
    VerdictGaps: "The hardware's gaps between {0} short operations take {1}, {2} of the run; the operations themselves only {3}.", "{0} 个短操作之间的硬件间隙用去 {1}，占总耗时的 {2}；操作本身只用 {3}。";
    // {0} time, {1} share
    VerdictContention: "Operations that share SMs, memory bandwidth or the link slow each other down: {0}, {1} of the run.", "几个操作争用 SM、显存带宽或链路，互相拖慢：共 {0}，占总耗时的 {1}。";
    // {0} part, {1} time, {2} share
    VerdictWaiting: "Most of the run is {0}: {1}, {2}.", "大部分时间：{0}，{1}（{2}）。";
    // {0} share
    VerdictUnknown: "For {0} of the run, this recording does not show what was waited for.", "总耗时的 {0} 里，从这份记录看不出在等什么。";
    // {0} list of parts
    VerdictMixed: "No single part limits this run: {0}.", "没有哪一部分单独限制这次运行：{0}。";
    PartCopiesIn: "copies in", "H2D 拷贝";
    PartKernels: "kernels", "Kernel";
    PartCopiesWithin: "copies within the GPU", "D2D 拷贝";
    PartCopiesOut: "copies out", "D2H 拷贝";
    PartLaunching: "launching", "发射";
    PartHostWork: "the host's own work", "主机自己的工作";
    PartAllocation: "allocating and freeing", "内存分配与释放";
    PartGaps: "gaps between operations", "操作之间的间隙";
    PartContention: "contention", "争用";
    PartTurnaround: "waking up and starting", "唤醒与开始执行的延迟";
    PartOrder: "waits between streams", "流之间的等待";
    PartUnknown: "unknown", "未知";

    // Commands: on their buttons, and what they do
    Open: "Open", "打开";
    OpenHint: "Open a scenario file", "打开一个场景文件";
    Save: "Save", "保存";
    SaveHint: "Save the scenario to a file", "把场景保存为文件";
    Export: "Export", "导出";
    ExportHint: "Draw the figure for a slide: SVG or PNG", "把时间线导出为课件插图（SVG 或 PNG）";
    CoursePanel: "Course list", "课程列表";
    CoursePanelHint: "Show or hide the list of scenarios", "显示或隐藏左侧的场景列表";
    InspectorPanel: "Explanations", "讲解栏";
    InspectorPanelHint: "Show or hide what the scenario is about, its hazards, advice and the inspector", "显示或隐藏右侧的说明、数据隐患、建议和详情";
    FoldLanes: "Fold {0} to a strip", "折叠{0}";
    OpenLanes: "Open {0}", "展开{0}";
    FitSign: "fit", "全部";
    Find: "Commands", "命令";
    FindHint: "Find anything that can be done", "查找并执行任意命令";
    FindNothing: "Nothing matches: try fewer letters", "没有匹配项，请少输入几个字";
    KnobKind: "knob", "参数";
    KnobKeys: "Turn the first to ninth knob; back with Shift", "切换第 1–9 个参数；按住 Shift 反向切换";
    KnobKeyHint: "Key {0}, back with Shift", "按键 {0}，按住 Shift 反向切换";
    Screenshot: "Screenshot", "截图";
    ScreenshotHint: "Save the window as a PNG", "把窗口截图保存为 PNG";
    NextPreset: "Next scenario", "下一个场景";
    NextPresetHint: "Go on to the next scenario of the course", "转到课程的下一个场景";
    PreviousPreset: "Previous scenario", "上一个场景";
    PreviousPresetHint: "Go back to the previous scenario of the course", "回到课程的上一个场景";
    ResetKnobs: "Reset", "重置";
    ResetKnobsHint: "Put all knobs back to their defaults", "所有开关和参数恢复默认值";
    NextTarget: "Run on …", "切换运行目标";
    NextTargetHint: "Cycle through model, recording and GPUs", "依次切换：模型、实测记录、各块 GPU";
    Cancel: "Cancel", "取消";
    CancelHint: "Stop the run in the background", "停止正在后台进行的运行";
    Fit: "Fit", "显示全部";
    FitHint: "Show the whole run", "显示整次运行";
    ZoomIn: "Zoom in", "放大";
    ZoomInHint: "See less time, in more detail", "看更短的时间段，细节更多";
    ZoomOut: "Zoom out", "缩小";
    ZoomOutHint: "See more time", "看更长的时间段";
    PanLeft: "Earlier", "更早";
    PanLeftHint: "Move to earlier times", "移到更早的时间";
    PanRight: "Later", "更晚";
    PanRightHint: "Move to later times", "移到更晚的时间";
    RedoView: "Redo view", "重做视图";
    RedoViewHint: "Redo the view change that was just undone", "恢复刚撤销的视图";
    UndoView: "Undo view", "撤销视图";
    UndoViewHint: "Go back to the view before", "回到上一个视图";
    PreviousSpan: "Previous span", "上一段";
    PreviousSpanHint: "Select what stands before it in its lane", "选中同一泳道的上一段";
    NextSpan: "Next span", "下一段";
    NextSpanHint: "Select what stands after it in its lane", "选中同一泳道的下一段";
    ToLaunch: "To its launch", "转到发射";
    ToLaunchHint: "Select the call that launched it", "选中发射它的那次调用";
    ToExecution: "To its execution", "转到执行";
    ToExecutionHint: "Select what the call started on the GPU", "选中这次调用发射到 GPU 上的操作";
    Clear: "Clear", "取消选择";
    ClearHint: "Clear the selection, or close what is open", "取消选择，或关闭打开的面板";
    Projector: "Projector", "投影模式";
    ProjectorHint: "Everything larger, side panels hidden", "放大全部内容，收起两侧面板";
    Language: "中文", "English";
    LanguageHint: "Switch the language", "切换语言";
    Appearance: "Light / dark", "浅色 / 深色";
    AppearanceHint: "Switch between light and dark", "切换浅色与深色";
    Keys: "Keys", "快捷键";
    KeysHint: "Show all keys", "显示全部快捷键";
    GestureWheel: "Wheel, pinch", "滚轮或双指缩放";
    GestureSideways: "Shift + wheel, two fingers sideways", "Shift + 滚轮，或双指左右滑动";
    GestureSidewaysDoes: "Move the view", "平移视图";
    GestureWheelDoes: "Zoom at the pointer", "以指针为中心缩放";
    GestureDrag: "Drag", "拖动";
    GestureDragDoes: "Move in time", "沿时间移动";
    GestureRange: "Shift or right drag", "按住 Shift 或右键拖动";
    GestureRangeDoes: "Select a range of time; its numbers stand in the inspector", "选定一段时间，详情面板里列出它的各项数值";
    GestureDouble: "Double click", "双击";
    GestureDoubleDoes: "Show the whole run", "显示整次运行";
    GestureClick: "Click", "单击";
    GestureClickDoes: "Select; launch and execution are linked", "选中；发射与执行之间会画出连线";

    // Hazards in the window
    HazardsNone: "No hazards", "没有数据隐患";
    HazardsNoneHint: "The program fixes the order of any two operations that touch the same bytes, however long each takes", "凡是访问同一块数据的操作，程序都规定了先后顺序；无论快慢，结果都正确";
    HazardsOne: "1 hazard", "1 处数据隐患";
    HazardsMany: "{0} hazards", "{0} 处数据隐患";
    HazardsSpoiled: "{0}: data was corrupted in this run", "{0}：这次运行发生了数据踩踏";
    HazardsLucky: "{0}: this run came out right only by luck", "{0}：这次运行碰巧没有出错";
    HazardsHint: "Show the first of them", "从第一处看起";
    FragileOne: "1 more is fragile", "另有 1 处顺序没有保证";
    FragileMany: "{0} more are fragile", "另有 {0} 处顺序没有保证";
    FragileOnlyOne: "{0}, 1 fragile order", "{0}，但有 1 处顺序没有保证";
    FragileOnlyMany: "{0}, {1} fragile orders", "{0}，但有 {1} 处顺序没有保证";
    Hazards: "Hazards", "数据隐患";
    Fragile: "Right, but fragile", "没有出错，但顺序没有保证";
    HazardsMore: "and {0} more", "还有 {0} 处";
    HazardTimes: "{0} times", "共 {0} 次";
    NoFix: "Adding one dependency does not fix this; the program has to change.", "只补一条依赖解决不了，需要修改程序。";
    Fix: "Fix it", "修复";
    FixHint: "Add the missing dependency and run again", "补上缺少的依赖，再运行一次";
    NextHazard: "Next hazard", "下一处数据隐患";
    NextHazardHint: "Show the two operations of the next hazard", "显示下一处数据隐患涉及的两个操作";
    Undo: "Undo", "撤销";
    UndoHint: "Undo the last step: an edit, or the change of a knob", "撤销上一步：对场景的修改，或开关和参数的改动";
    Redo: "Redo", "重做";
    RedoHint: "Redo the step that was just undone", "重做刚撤销的一步";
    EditedNotSaved: "Edited, not saved yet", "已修改，尚未保存";
    Edited: "{0} (edited)", "{0}（已修改）";
    EditedAgain: "{0} (edited {1})", "{0}（已修改 {1}）";

    // The captured graph: {0} nodes, {1} edges, {2} replays
    Graph: "Graph", "CUDA Graph";
    GraphHint: "Show the captured graph below the timeline", "在时间线下方显示捕获到的 CUDA Graph";
    CapturedGraph: "Captured graph", "捕获到的 CUDA Graph";
    GraphCounts: "nodes: {0} · edges: {1} · replays: {2}", "{0} 个节点 · {1} 条边 · 重放 {2} 次";
    GraphNode: "node {0}", "节点 {0}";
    GraphNodes: "nodes {0} to {1}", "节点 {0} 到 {1}";
    GraphRoot: "Starts at once: it waits for no other node", "不等任何节点，一开始就能执行";
    GraphAfter: "After {0}", "在 {0} 之后";
    InItsGraph: "In its graph", "在图中的位置";

    // Panels
    Course: "Course", "课程";
    Chapter0: "Prologue", "开场";
    Chapter1: "Asynchrony", "异步执行";
    Chapter2: "Streams", "CUDA 流";
    Chapter3: "Events and memory", "事件与显存";
    Chapter4: "Launch overhead", "发射开销";
    Chapter5: "CUDA graphs", "CUDA Graph";
    Chapter6: "Graphs in production", "CUDA Graph 落地";
    MyScenarios: "My scenarios", "我的场景";
    MyScenariosHint: "Open a file, or drop one onto the window", "打开文件，或把文件拖进窗口";
    NoKnobs: "This scenario has no knobs", "这个场景没有可调的开关或参数";
    ViewedKnobs: "Shown as it ran: there is nothing to switch", "这是一次已完成的运行，没有可调的开关或参数";
    NoRun: "Nothing has run yet", "尚未运行";
    Running: "The model is running", "模型正在运行";
    About: "About", "说明";
    Inspector: "Inspector", "详情";
    InspectorEmpty: "Point at something in the timeline; click to keep it here", "把鼠标移到时间线上的任意位置；单击可固定在这里";
    RunErrors: "Errors of this run", "这次运行的错误";
    // What would help: {0} what to change, {1} time saved, {2} its share in percent
    WhatHelps: "What would help", "怎样更快";
    AdviceSaves: "{0}: −{1}, {2}%", "{0}：−{1}，{2}%";
    // {0} knob, {1} value
    AdviceKnob: "{0} → {1}", "{0} → {1}";
    AdviceLine: "What would help most: {0}.", "最见效的改动：{0}。";
    AdviceLineBut: "What would help most: {0}; but {1}.", "最见效的改动：{0}，不过{1}。";
    AdviceNone: "Nothing would help of the {0} changes that the model tried: other settings of toggles and choices, a wait left out, a faster host, link or kernels.", "模型试了 {0} 种改动，都不见效：换开关和选项、去掉等待、主机或链路或 Kernel 更快。";
    AdviceLeaveOut: "Leave out {0}", "去掉{0}";
    AdviceWhatIf: "What if: {0}", "假如：{0}";
    AdviceHost: "host twice as fast", "主机快一倍";
    AdviceLink: "link twice as fast", "链路快一倍";
    AdviceKernels: "kernels twice as fast", "Kernel 快一倍";
    AdviceReadsNone: "the host no longer reads any result", "主机不再读取任何结果";
    AdviceReads: "the host reads results {1} times instead of {0}", "主机读取结果的次数会从 {0} 变成 {1}";
    AdviceMeasures: "the clock then measures something else", "计时测到的会是另一回事";
    AdviceLessWork: "it then does less work", "做的工作也变少了";
    AdviceOtherResult: "the results are not the same", "结果会不一样";
    WhereIdle: "GPU time", "GPU 时间";
    GpuBusyPart: "busy", "忙碌";
    IdlePartHint: "The GPU idles: {0}, {1} of its time. Click for the longest bubble, again for the next.", "GPU 空转：{0}，占 GPU 时间的 {1}。点击跳到最长的气泡，再点跳到下一个。";
    LaneSpans: "{0} spans", "{0} 段";
    LaneBusy: "busy for {0}", "忙碌 {0}";

    // What runs it: {0} index, {1} name of a GPU
    RunOnHint: "What the scenario runs on", "选择由谁来运行：模型、实测记录或 GPU";
    ProfileHint: "Which machine's costs the model uses", "模型采用哪份机器参数";
    OnModel: "Model", "模型";
    OnRecording: "Measured on H200", "H200 实测";
    OnModelForNow: "Model (not recorded)", "模型（没有实测记录）";
    OnGpu: "GPU {0}: {1}", "GPU {0}：{1}";
    GpusAsked: "Looking for NVIDIA GPUs", "正在查找 NVIDIA GPU";
    GpusNothing: "No NVIDIA GPU can be used: {0}", "没有可用的 NVIDIA GPU：{0}";
    RunningOn: "Running on {0}", "正在 {0} 上运行";
    OfferRecording: "Show the recording measured on an H200", "显示在 H200 上的实测记录";
    NotRecorded: "not recorded with these knobs", "当前的开关组合没有实测记录";
    RecordedSettings: "Recorded with these knobs:", "以下开关组合有实测记录：";
    RecordedNever: "There is no recording of this scenario as it is", "这个场景没有实测记录";
    AllDefaults: "all at their defaults", "全部为默认值";
    SwitchOn: "on", "开";
    SwitchOff: "off", "关";

    // Numbers
    NumberWall: "Wall time", "总耗时";
    NumberLaunches: "{0} launches", "{0} 次发射";
    NumberBusy: "GPU busy", "GPU 忙碌";
    NumberOf: "{0} of {1}", "{0} / {1}";
    // {0} mean number of SMs, {1} all of them
    NumberBusySms: "While kernels ran, {0} of {1} SMs had a block on average: the GPU is busy as soon as one has", "Kernel 执行期间，{1} 个 SM 中平均有 {0} 个上有线程块：只要有一个在忙，GPU 就算忙碌";
    NumberBlocked: "Host blocked", "主机阻塞";
    NumberQueue: "Launch queue", "发射队列";
    NumberLatency: "latency {0}", "发射延迟中位数 {0}";
    NumberRuns: "{0}, {1} runs", "{0}，{1} 次运行";
    NumberRunsHint: "Median, shortest and longest of {0} untraced runs", "{0} 次不带观测的运行：中位数、最短与最长";
    NumberLooking: "Cost of tracing", "观测代价";
    NumberLookingHint: "The timeline shows a traced run; this is its time over the median of the untraced runs. GPU and host clocks agree to within {1}. Measured on {0}.", "时间线显示的是带观测的那次运行：这里是它的耗时与不带观测时中位数之比。GPU 与主机的时钟对齐误差不超过 {1}。实测日期：{0}。";
    NumberInstrument: "{0}, ±{1}", "{0}，±{1}";
    NumberBroken: "the context broke", "上下文已被破坏";
    InstrumentStamps: "timestamps", "时间戳";
    InstrumentEvents: "events", "事件";
    NumberReported: "from the scenario", "场景报告的值";

    // The selected range of time
    BeginRange: "Range from here", "区间起点";
    BeginRangeHint: "Begin the range where what is selected begins", "把区间的起点设在所选对象的开始处";
    EndRange: "Range to here", "区间终点";
    EndRangeHint: "End the range where what is selected ends", "把区间的终点设在所选对象的结束处";
    ZoomToRange: "Zoom to the range", "放大区间";
    ZoomToRangeHint: "Show the selected range alone", "只显示选定的区间";
    CopyRange: "Copy as Markdown", "复制为 Markdown";
    CopyRangeHint: "Copy the numbers of the range as a Markdown table", "把区间的各项数值复制为 Markdown 表格";
    CopyRangeCsv: "Copy as CSV", "复制为 CSV";
    CopyRangeCsvHint: "Copy the numbers of the range as comma-separated values", "把区间的各项数值复制为 CSV（以逗号分隔）";
    RangeTitle: "Range", "选定区间";
    RangeValue: "Value", "数值";
    RangeFrom: "From", "起点";
    RangeTo: "To", "终点";
    RangeBusy: "Busy", "忙碌";
    // {0} title of a lane
    RangeWorking: "{0}, working", "{0}，工作";
    RangeWaiting: "{0}, waiting", "{0}，等待";
    RangeGpu: "GPU, any stream", "GPU，任意一个流";
    RangeIdle: "GPU idle", "GPU 空转";
    RangeIdleAll: "All", "合计";
    RangeOutside: "Before its first or after its last operation", "第一个操作之前或最后一个操作之后";
    RangeLaunches: "Launches", "发射";
    RangeLaunchCount: "Launches", "发射次数";
    RangeLatencyMedian: "Latency, median", "发射延迟，中位数";
    RangeLatencyMax: "Latency, longest", "发射延迟，最长";
    RangeQueueMax: "Queue, deepest", "队列，最深";
    RangeQueueMean: "Queue, mean", "队列，平均";
    RangeSmi: "What nvidia-smi would show", "nvidia-smi 会显示什么";
    RangeSmiShown: "GPU-Util of nvidia-smi", "nvidia-smi 的 GPU-Util";
    RangeSmiBusy: "Kernels, copies, memsets", "Kernel、拷贝、memset";
    RangeSmiNote: "GPU-Util is the share of time in which at least one kernel ran, on however few SMs, sampled every 1/6 to 1 s. Copies do not count.", "GPU-Util 是至少有一个 Kernel 在执行的时间占比，不论它只用了几个 SM；每 1/6～1 秒采样一次。拷贝不计入。";

    // Facts about what is pointed at
    FactDuration: "Duration", "时长";
    FactStart: "Start", "开始时刻";
    FactKind: "Kind", "类型";
    FactAbove: "Time above the driver", "驱动以上的耗时";
    FactAboveEmulated: "Time above the driver (emulated)", "驱动以上的耗时（模拟）";
    WallAndTraced: "{0}, here traced: {1}", "{0}；图中为带观测的一次：{1}";
    Emulated: "{0} (emulated)", "{0}（模拟）";
    NotKept: "not kept from here on", "此后未记录";
    FactInCall: "In the CUDA call", "CUDA 调用耗时";
    FactLatency: "Launch latency", "发射延迟";
    FactHostTime: "Host time of its launch", "发射它的主机耗时";
    FactHeldBy: "Last held back by", "最后的等待原因";
    FactNext: "Next operation", "之后的操作";
    FactDepth: "Queue depth", "队列深度";
    FactSize: "Size", "大小";
    FactAddress: "Address", "地址";
    FactSegment: "Segment size", "显存段大小";
    FactSegmentStream: "Stream of the segment", "显存段所属的流";
    FactPool: "Private pool", "私有显存池";
    FactState: "State", "状态";
    FactAllocated: "Allocated", "已分配";
    FactReserved: "Reserved", "已保留";
    StateOwned: "belongs to {0}", "属于 {0}";
    StateWaiting: "freed, waits for {0}", "已释放，等待 {0}";
    StateDeferred: "freed during a capture", "在捕获期间释放";
    StateCached: "cached", "空闲（仍在缓存中）";
    WhyMemoryWaits: "The tensor is gone, but record_stream marked its memory as in use on {0}. The allocator reuses it only when that work is done.", "张量已经释放，但 record_stream 登记过：{0} 也在用这块显存。在那些操作完成之前，分配器不会把它分给别的张量。";
    WhyMemoryDeferred: "Freed during a graph capture, when events cannot be queried. The allocator checks again after the capture.", "释放时正在捕获 CUDA Graph，期间不能查询事件；捕获结束后，分配器才会处理它。";
    WhyMemoryCached: "Free, but not given back to the driver: the next tensor on {0} that fits reuses it without a cudaMalloc.", "空闲，但没有还给驱动：{0} 上下一个放得下的张量可以直接用它，不必再调用 cudaMalloc。";

    // Dialogs and banner
    OpenTitle: "Open a scenario", "打开场景";
    SaveTitle: "Save the scenario", "保存场景";
    ExportTitle: "Export the figure", "导出插图";
    ScreenshotTitle: "Screenshot of the window", "窗口截图";
    PathOfFile: "Path of the file", "文件路径";
    ExportWhole: "The whole run, not only what is seen", "导出整次运行，而不只是当前可见的部分";
    ExportDark: "Dark, for a dark slide", "深色，用于深色背景的课件";
    // A verdict that is not there yet
    JudgingPending: "Checking for hazards", "正在检查数据隐患";
    JudgingStopped: "Not checked for hazards", "已跳过数据隐患检查";
    JudgingCancelHint: "Leave this run unchecked", "跳过这次运行的检查";

    // What was edited and not saved: {0} what
    Replace: "Replace", "替换";
    ReplaceAsk: "{0} is there already. Replace it?", "{0} 已经存在。要替换它吗？";
    Discard: "Discard {0}", "丢弃 {0}";
    DiscardHint: "Discard what was edited here and not saved; this can be undone", "丢弃这里尚未保存的修改；丢弃后还可以撤销";
    Discarded: "Discarded: {0}", "已丢弃：{0}";
    TakeBack: "Undo", "撤销";

    // What went wrong: {0} the error, which is English
    FailedToOpen: "Cannot be opened: {0}", "无法打开：{0}";
    FailedToSave: "Cannot be saved: {0}", "无法保存：{0}";
    FailedToShow: "This file cannot be shown: {0}", "无法显示这个文件：{0}";
    FailedToRun: "This scenario cannot run: {0}", "这个场景无法运行：{0}";
    FailedToChange: "The scenario stays as it was: {0}", "场景没有改动：{0}";
    FailedToDraw: "The picture cannot be made: {0}", "无法生成图片：{0}";
    FailedToKeepSettings: "Settings are not kept: {0}", "设置没有保存：{0}";
    FailedToKeepEdits: "What was edited is not safe until you save it: {0}", "修改还没有写到磁盘，请尽快保存：{0}";
    FailedToRestore: "Not all that was kept could be read again: {0}", "上次保留的内容没有全部读回：{0}";
    // {0} path, {1} folder
    FigureEnding: "{0}: a figure is written as .svg or .png; give the file one of these endings", "{0}：插图只能写成 .svg 或 .png，请用其中一种结尾";
    PictureNoFolder: "{0}: there is no folder {1}; make it first", "{0}：没有文件夹 {1}，请先创建";
    PictureIsFolder: "{0}: this is a folder; give the picture a name in it", "{0}：这是一个文件夹，请在其中给图片取一个文件名";
    NoRunToDraw: "There is no run to draw yet", "还没有可以画的运行";
    ModelCrashed: "The model crashed on this scenario. This is a bug in Streamscope: other scenarios still run; what you edited is kept.", "模型在这个场景上异常停止。这是 Streamscope 的缺陷：其他场景仍可运行，你的修改也还在。";
    GpuCrashed: "The GPU run crashed on this scenario. This is a bug in Streamscope: other scenarios still run; what you edited is kept.", "GPU 运行在这个场景上异常停止。这是 Streamscope 的缺陷：其他场景仍可运行，你的修改也还在。";
    // {0} GPU, {1} the error
    GpuFailed: "{0} could not run this: {1}", "{0} 没能运行这个场景：{1}";
    GpusNoDriver: "this machine has no NVIDIA driver; the model needs none", "这台机器没有 NVIDIA 驱动；用模型运行不需要驱动";
    GpusCrashed: "looking for them crashed, which is a bug in Streamscope", "查找时异常停止，这是 Streamscope 的缺陷";

    Close: "Close", "关闭";
    Written: "Written: {0}", "已写入：{0}";
}
