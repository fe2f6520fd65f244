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
    // Lanes
    LaneHost: "Host", "主机";
    LaneHostThread: "Host thread {0}", "主机线程 {0}";
    LaneHostUnder: "CPU thread", "CPU 线程";
    LaneRegions: "Regions", "命名区段";
    // {0} title of a track, {1} number
    LaneRow: "{0}, row {1}", "{0}，第 {1} 行";
    LaneOfDevice: "{0}, GPU {1}", "{0}，GPU {1}";
    LaneQueue: "Launch queue", "发射队列";
    LaneQueueUnder: "pending operations", "排队的操作";
    LaneSms: "SM map", "SM 占用图";
    LaneSmsUnder: "blocks on each SM", "每个 SM 上的线程块";
    LaneMemory: "Memory", "显存";
    LaneMemoryUnder: "segments", "内存段";
    LaneMemoryUse: "Memory held", "显存占用";
    LaneMemoryUseUnder: "allocated, reserved", "已分配, 已保留";
    LaneBlocks: "{0} memory blocks in {1} segments; peak: {2} allocated, {3} reserved", "{0} 个显存块, {1} 个内存段; 峰值: 已分配 {2}, 已保留 {3}";
    FactBusySms: "SMs busy", "忙碌的 SM";
    LaneStream: "Stream {0}", "流 {0}";
    LaneStreamDefault: "Default stream", "默认流";
    LaneCopyH2D: "Copy H2D", "拷贝 主机→设备";
    LaneCopyD2H: "Copy D2H", "拷贝 设备→主机";
    LaneCopyUnder: "copy engine", "拷贝引擎";

    // Hazards: object, first operation, second operation, from, to
    HazardRaw: "{0}: “{2}” reads while “{1}” may still be writing.", "{0}：“{2}”读取时，“{1}”可能还没写完。";
    HazardWar: "{0}: “{2}” overwrites what “{1}” may still be reading.", "{0}：“{2}”覆盖时，“{1}”可能还在读。";
    HazardWaw: "{0}: “{1}” and “{2}” write in no particular order.", "{0}：“{1}”和“{2}”都写它，谁先谁后没有保证。";
    HazardHostRaw: "{0}: the host reads before “{1}” is certain to be done.", "{0}：主机来读的时候，“{1}”不一定已经完成。";
    HazardHostWar: "{0}: the host overwrites what “{1}” may still need.", "{0}：主机覆盖的内容，“{1}”可能还要用。";
    HazardReuse: "{0}: its memory block already belongs to “{2}” while “{1}” may still be using it.", "{0}：显存块已经转给“{2}”，而“{1}”可能还在用它。";
    HazardPool: "{0}: “{1}” and “{2}” share memory of a graph's pool, and each takes it for its own.", "{0}：“{1}”和“{2}”共用图的私有池中同一块显存，各自都当成自己的。";
    HazardStale: "{0}: the graph's “{2}” works on what has been out of date since “{1}”.", "{0}：图里的“{2}”用的是过时的内容，从“{1}”起就不对了。";
    HazardLifetime: "{0}: “{1}” and “{2}” are in no order, and one of them allocates or frees the memory.", "{0}：“{1}”和“{2}”谁先谁后没有保证，而其中一个在分配或释放这块显存。";
    HazardAfterFree: "{0}: “{2}” uses memory that “{1}” has given back.", "{0}：“{2}”用的显存，已经被“{1}”还回去了。";
    HazardOwner: "{0}: the graph's “{1}” goes on writing memory that belongs to “{2}” by now.", "{0}：图里的“{1}”还在往这块显存里写，而它早已归“{2}”所有。";
    HazardOnce: "{0}: “{1}” happened on the host during the capture and no replay repeats it, so “{2}” reads what is out of date.", "{0}：“{1}”是捕获时在主机上做的，重放不会再做，所以“{2}”读到的是旧值。";
    HazardPart: "{0} was refreshed in part: the rest, which “{2}” reads too, still holds what “{1}” put there before.", "{0} 只刷新了一部分：剩下的还是“{1}”上次放进去的，而“{2}”连它一起读。";
    HazardWarmUp: "{0}: the warm-up has run “{1}” too, so the first replay of “{2}” starts from there.", "{0}：预热时已经跑过“{1}”，所以“{2}”第一次重放是接着往下算的。";
    HazardUncaptured: "{0}: “{1}” ran once during the capture and is not in the graph, where “{2}” needs it.", "{0}：“{1}”只在捕获时执行了一次，没有进图，而图里的“{2}”离不开它。";
    HazardFragile: "{0}: “{2}” after “{1}” is right only because a call waits that does not have to.", "{0}：“{1}”之后的“{2}”没有出错，只因为某个调用碰巧等了，文档并不保证。";
    FixWait: "{1} has to wait for {0}.", "要让 {1} 等待 {0}。";
    FixSync: "The host ({1}) has to wait for {0} first.", "主机（{1}）要先等 {0}。";
    FixRecordStream: "{0}.record_stream({1}) is missing, or a reference to keep.", "缺少 {0}.record_stream({1})，或者多保留一个引用。";
    FixRefresh: "All of {0} has to be refreshed, or what {1} makes of the rest must not be used.", "{0} 要整块刷新，否则 {1} 由剩余部分算出的结果不能用。";
    FixKeep: "{0} has to stay as it is for as long as {1} uses it.", "{1} 还在用的时候，{0} 不能动。";
    HazardSpoiled: "This run was spoiled by it.", "这一次运行确实被破坏了。";
    HazardLucky: "It did no harm in this run, by luck.", "这一次运行碰巧没受它影响。";

    // What a run came to. Errors: {0} name and number, {1} call, {2} cause; of freed memory: {0} work, {1} memory, {2} who freed it
    ErrorSentence: "{0} in “{1}”: {2}", "“{1}”出错，{0}：{2}";
    ErrorSkippedOne: "; 1 operation was skipped", "；1 个操作因此没有执行";
    ErrorSkippedMany: "; {0} operations were skipped", "；{0} 个操作因此没有执行";
    ErrorMoreOne: "; and 1 more error", "；另有 1 个错误";
    ErrorMoreMany: "; and {0} more errors", "；另有 {0} 个错误";
    ErrorFreedMemory: "“{0}” used the memory of {1} after “{2}” had given it back", "“{0}”访问了 {1} 的显存，而“{2}”已经把它还回去了";
    ErrorInvalidValue: "the driver does not accept an argument of this call", "驱动不接受这次调用的某个参数";
    ErrorMemoryAllocation: "there was not enough memory on the device", "设备上的显存不够";
    ErrorInvalidResourceHandle: "what the call names does not exist, or not any more", "这次调用所指的对象不存在，或者已经销毁";
    ErrorIllegalState: "what the call names is in a state in which this is not possible", "这次调用所指的对象正处在不允许这样做的状态";
    ErrorNotReady: "the work that is asked about is not done yet", "所问的工作还没有做完";
    ErrorIllegalAddress: "a kernel touched memory that is not mapped, and every later call on this device fails", "有 Kernel 访问了没有映射的显存，此后这个设备上的每次调用都会失败";
    ErrorLaunchOutOfResources: "no SM has room for a block of this kernel", "没有一个 SM 放得下这个 Kernel 的线程块";
    ErrorNotPermitted: "this is not permitted here", "此处不允许这样做";
    ErrorNotSupported: "this is not supported here", "此处不支持这样做";
    ErrorCaptureUnsupported: "this call cannot go into a graph, and it has broken the capture that was going on", "这次调用不能录进图，正在进行的捕获因它而失效";
    ErrorCaptureInvalidated: "an earlier error had broken the capture", "捕获此前已经因错误而失效";
    ErrorCaptureMerge: "it would have joined two captures into one", "它会把两次独立的捕获连成一次";
    ErrorCaptureUnmatched: "the capture began on another stream than it was ended on", "结束捕获的流，不是开始捕获的那个流";
    ErrorCaptureUnjoined: "a stream that had been drawn into the capture was not joined again", "被带进捕获的流，到捕获结束时还没有汇合回来";
    ErrorCaptureIsolation: "captured work would have depended on work that is not captured", "录进图的操作会依赖没有录进图的操作";
    ErrorCaptureImplicit: "the legacy default stream would have had to wait for a stream that was being captured", "旧式默认流会因此等待一个正在捕获的流";
    ErrorCapturedEvent: "the event was recorded in a capture, and means nothing outside of it", "这个事件是在捕获中记录的，在捕获之外没有意义";
    ErrorCaptureWrongThread: "another host thread had begun the capture", "这次捕获是另一个主机线程开始的";
    ErrorGraphUpdate: "the new graph differs from the instantiated one in more than its parameters", "新图与已实例化的图不只是参数不同";
    // {0} name, {1} value, {2} what it should be
    ValueShouldBe: "{0} is {1}, should be {2}", "{0} 是 {1}，应为 {2}";
    ShouldBe: "should be {0}", "应为 {0}";
    OverwrittenHere: "overwritten from here on", "从这里起被覆盖";
    ReadTooEarly: "read too early", "读得太早";
    ErrorHint: "Show the call that failed", "看是哪次调用出的错";
    FactCall: "Call", "调用";

    // Kinds, for the legend and the inspector
    KindKernel: "kernel", "核函数";
    KindCopy: "copy", "拷贝";
    KindMemset: "memset", "清零";
    KindEvent: "event", "事件";
    KindCall: "CUDA call", "CUDA 调用";
    KindAbove: "Python, dispatcher, ATen", "Python、分发器、ATen";
    KindAllocation: "allocation", "显存分配";
    KindBlocked: "host blocked", "主机阻塞";
    KindWork: "host work", "主机自己的计算";
    KindCapture: "graph capture", "图捕获";
    KindAnnotation: "region", "命名区段";
    KindHostFunction: "host function", "主机回调函数";
    KindBlock: "memory of a tensor", "张量的显存";
    KindWaiting: "freed, waits for a stream", "已释放, 在等别的流";
    KindCached: "cached", "缓存着, 空闲";
    KindUnused: "never used, not to scale", "从未用过, 不按比例";
    KindIdle: "GPU idle", "GPU 空转";
    KindGraphKernel: "kernel of a graph", "图中的核函数";
    LayerPython: "Python", "Python";
    LayerDispatcher: "dispatcher", "分发器";
    LayerAten: "ATen", "ATen";

    // Labels in the timeline and in figures
    BlockedIn: "blocked in {0}", "阻塞于 {0}";
    IdleBecause: "idle: {0}", "空转：{0}";
    MemoryWaits: "{0} waits for {1}", "{0} 在等 {1}";
    MemorySteady: "{0} throughout", "始终 {0}";
    MemoryPool: "pool {0}", "私有池 {0}";
    MemoryAllocated: "peak {0} allocated", "已分配峰值 {0}";
    MemoryReserved: "peak {0} reserved", "已保留峰值 {0}";
    QueueMax: "max {0}", "最深 {0}";

    // Causes of idle time
    CauseLaunchBound: "launch-bound", "受限于 CPU 发射";
    CauseHostWork: "host work", "主机在做别的事";
    CauseHostBlocked: "host blocked", "主机阻塞等待";
    CauseEventWait: "event wait", "等待事件";
    CauseCopyWait: "copy wait", "等待拷贝";
    CauseEngineBusy: "copy engine busy", "拷贝引擎忙";
    CauseNoRoom: "no room on the SMs", "SM 已占满";
    CauseLegacyBarrier: "legacy barrier", "旧式默认流屏障";
    CauseHostFunction: "host function", "主机回调函数";
    CauseAllocation: "allocation", "显存分配";
    CauseKernelGap: "gap between operations", "操作间隙";
    CauseGraphGap: "gap between graph nodes", "图节点间隙";
    CauseLaunchLatency: "launch latency", "发射延迟";

    // Where a picture comes from
    SourceModel: "model", "模型";
    SourceMeasured: "measured", "实测";
    SourceImported: "imported", "导入";
    SourceHost: "PyTorch host costs", "PyTorch 主机开销";
    SourceHostEmulated: "PyTorch host time emulated", "PyTorch 主机时间为模拟";

    // Why a bubble: {0} next operation, {1} call of the host, {2} time still blocked, {3} time to launch
    BubbleSentence: "{0} idle for {1}: {2}", "{0}空转 {1}: {2}";
    BubbleStages: "{0} Stages: {1}.", "{0}各阶段：{1}。";
    PlaceGpu: "GPU", "GPU ";
    WhyLaunchBound: "nothing was queued, and the host needed {3} to launch {0}.", "队列已空, 主机还要 {3} 才能发射 {0}。";
    WhyHostWork: "nothing was queued: the host was busy with {1}, and launched {0} only {3} later.", "队列已空: 主机在忙 {1}, {3} 之后才发射 {0}。";
    WhyHostBlocked: "nothing was queued: the host was blocked in {1} for {2} more, then needed {3} to launch {0}.", "队列已空: 主机还卡在 {1} 里 {2}, 之后又用了 {3} 才发射 {0}。";
    WhyEventWait: "{0} waited for an event of another stream.", "{0} 在等另一个流的事件。";
    WhyCopyWait: "{0} waited for a copy.", "{0} 在等一次拷贝。";
    WhyEngineBusy: "{0} waited until the copy engine was done with another copy.", "{0} 在等拷贝引擎做完另一次拷贝。";
    WhyNoRoom: "{0} waited until SMs had room for its blocks.", "{0} 在等 SM 腾出位置放它的线程块。";
    WhyLegacyBarrier: "{0} waited at the barrier of the legacy default stream.", "{0} 被旧式默认流的屏障挡住。";
    WhyHostFunction: "{0} waited for a host function in its stream.", "{0} 在等它所在流里的主机回调函数。";
    WhyAllocation: "nothing was queued: the host was in {1}, and launched {0} {3} later.", "队列已空: 主机正在 {1}, {3} 之后才发射 {0}。";
    WhyKernelGap: "the hardware's pause before {0}, which was queued in time.", "{0} 早已排队, 这是硬件在两个操作之间的停顿。";
    WhyGraphGap: "the hardware's pause between two nodes of a graph.", "这是图中两个节点之间的硬件停顿。";

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
    VerdictEngineNext: "{0} take {1} of the run's {2} ({3}); next comes {4} ({5}).", "总耗时 {2} 中有 {1}（{3}）是 {0}；其次是{4}（{5}）。";
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
    VerdictWaiting: "Most of the run is {0}: {1}, {2}.", "大部分时间是{0}：{1}，占 {2}。";
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
    PartTurnaround: "waking up and starting", "唤醒与启动延迟";
    PartOrder: "waits between streams", "流之间的等待";
    PartUnknown: "unknown", "未知";
    ListSeparator: ", ", "、";

    // Commands: on their buttons, and what they do
    Open: "Open", "打开";
    OpenHint: "Open a scenario file", "打开一个场景文件";
    Save: "Save", "保存";
    SaveHint: "Save the scenario to a file", "把场景存成文件";
    Export: "Export", "导出";
    ExportHint: "Draw the figure for a slide: SVG or PNG", "把图导出到课件: SVG 或 PNG";
    Screenshot: "Screenshot", "截图";
    ScreenshotHint: "Save the window as a PNG", "把窗口存成 PNG";
    NextPreset: "Next scenario", "下一个场景";
    NextPresetHint: "Go on to the next scenario of the course", "课程中的下一个场景";
    PreviousPreset: "Previous scenario", "上一个场景";
    PreviousPresetHint: "Go back to the previous scenario of the course", "课程中的上一个场景";
    ResetKnobs: "Reset", "复位";
    ResetKnobsHint: "Put all knobs back to their defaults", "所有开关回到默认值";
    NextTarget: "Run elsewhere", "换个地方运行";
    NextTargetHint: "Run it on the next of model, recording and GPUs", "在模型、实测记录、GPU 之间轮换";
    Cancel: "Cancel", "取消";
    CancelHint: "Stop the run in the background", "停止后台的运行";
    Fit: "Fit", "看全部";
    FitHint: "Show the whole run", "显示整次运行";
    ZoomIn: "Zoom in", "放大";
    ZoomInHint: "See less time, in more detail", "看更短的时间, 更细";
    ZoomOut: "Zoom out", "缩小";
    ZoomOutHint: "See more time", "看更长的时间";
    PanLeft: "Earlier", "往前";
    PanLeftHint: "Move to earlier times", "移到更早的时间";
    PanRight: "Later", "往后";
    PanRightHint: "Move to later times", "移到更晚的时间";
    RedoView: "Redo view", "重做视图";
    RedoViewHint: "Take the undone change of view back", "恢复刚撤销的视图";
    UndoView: "Undo view", "撤销视图";
    UndoViewHint: "Go back to the view before", "回到上一个视图";
    PreviousSpan: "Previous span", "上一段";
    PreviousSpanHint: "Select what stands before it in its lane", "选中同一泳道的上一段";
    NextSpan: "Next span", "下一段";
    NextSpanHint: "Select what stands after it in its lane", "选中同一泳道的下一段";
    ToLaunch: "To its launch", "去看发射";
    ToLaunchHint: "Select the call that launched it", "选中发射它的那次调用";
    ToExecution: "To its execution", "去看执行";
    ToExecutionHint: "Select what the call started on the GPU", "选中这次调用在 GPU 上启动的操作";
    Clear: "Clear", "清除";
    ClearHint: "Clear the selection, or close what is open", "清除选择, 或关闭打开的窗口";
    Projector: "Projector", "投影";
    ProjectorHint: "Everything larger, side panels hidden", "一切放大, 收起两侧面板";
    Language: "中文", "English";
    LanguageHint: "Switch the language", "切换语言";
    Appearance: "Light / dark", "明 / 暗";
    AppearanceHint: "Switch between light and dark", "切换明暗";
    Keys: "Keys", "按键";
    KeysHint: "Show all keys", "显示全部按键";
    GestureWheel: "Wheel, pinch", "滚轮, 捏合";
    GestureWheelDoes: "Zoom at the pointer", "以指针为中心缩放";
    GestureDrag: "Drag", "拖动";
    GestureDragDoes: "Move in time", "沿时间移动";
    GestureRange: "Shift or right drag", "按住 Shift 或右键拖动";
    GestureRangeDoes: "Select a range of time; its numbers stand in the inspector", "选定一段时间，检视面板里列出它的各项数字";
    GestureDouble: "Double click", "双击";
    GestureDoubleDoes: "Show the whole run", "显示整次运行";
    GestureClick: "Click", "单击";
    GestureClickDoes: "Select; launch and execution are linked", "选中; 发射与执行连在一起";

    // Hazards in the window
    HazardsNone: "No hazards", "没有数据竞争";
    HazardsNoneHint: "Whatever touches the same bytes is kept in order by the program, however long anything takes", "凡是碰同一块数据的操作，程序都规定了先后，快慢都不会出错";
    HazardsOne: "1 hazard", "1 处数据竞争";
    HazardsMany: "{0} hazards", "{0} 处数据竞争";
    HazardsSpoiled: "{0}: this run was spoiled", "{0}：这次运行的数据被踩坏了";
    HazardsLucky: "{0}: this run was right, by luck", "{0}：这次运行碰巧没出错";
    HazardsHint: "Show the first of them", "从第一处看起";
    FragileOne: "1 more is fragile", "另有 1 处不牢靠";
    FragileMany: "{0} more are fragile", "另有 {0} 处不牢靠";
    FragileOnlyOne: "{0}, 1 fragile order", "{0}，有 1 处先后不牢靠";
    FragileOnlyMany: "{0}, {1} fragile orders", "{0}，有 {1} 处先后不牢靠";
    Hazards: "Hazards", "数据竞争";
    Fragile: "Right, but fragile", "没有错，但不牢靠";
    HazardsMore: "and {0} more", "还有 {0} 处";
    HazardTimes: "{0} times", "共 {0} 次";
    NoFix: "No single edge mends this: the program has to change.", "补一条依赖还不够，程序要改。";
    Fix: "Fix it", "修复";
    FixHint: "Put in the missing edge and run again", "补上缺少的依赖，再运行一次";
    NextHazard: "Next hazard", "下一处竞争";
    NextHazardHint: "Show the two operations of the next hazard", "看下一处竞争是哪两个操作";
    Undo: "Undo", "撤销";
    UndoHint: "Take the last step back: an edit, or the turn of a knob", "撤销上一步：对场景的修改，或拨动的旋钮";
    Redo: "Redo", "重做";
    RedoHint: "Make the step again that was taken back", "重做刚撤销的一步";
    EditedNotSaved: "Edited, not saved yet", "已修改，还没有保存";
    Edited: "{0} (edited)", "{0}（已修改）";
    EditedAgain: "{0} (edited {1})", "{0}（已修改 {1}）";

    // The captured graph: {0} nodes, {1} edges, {2} replays
    Graph: "Graph", "图";
    GraphHint: "Show the captured graph below the timeline", "在时间线下方显示捕获到的图";
    CapturedGraph: "Captured graph", "捕获的图";
    GraphCounts: "nodes: {0} · edges: {1} · replays: {2}", "节点 {0} · 边 {1} · 重放 {2} 次";
    GraphNode: "node {0}", "节点 {0}";
    GraphNodes: "nodes {0} to {1}", "节点 {0} 到 {1}";
    GraphRoot: "Starts at once: it waits for no other node", "不等任何节点，一开始就能执行";
    GraphAfter: "After {0}", "在 {0} 之后";
    InItsGraph: "In its graph", "在图中的位置";

    // Panels
    Course: "Course", "课程";
    Chapter0: "Prologue", "开场";
    Chapter1: "Asynchrony", "异步执行";
    Chapter2: "Streams", "流";
    Chapter3: "Events and memory", "事件与显存";
    Chapter4: "Launch overhead", "发射开销";
    Chapter5: "CUDA graphs", "CUDA Graph";
    Chapter6: "Graphs in production", "图的工程实践";
    MyScenarios: "My scenarios", "我的场景";
    MyScenariosHint: "Open a file, or drop one onto the window", "打开文件, 或把文件拖进窗口";
    NoKnobs: "This scenario has no knobs", "这个场景没有开关";
    ViewedKnobs: "Shown as it ran: there is nothing to switch", "这是一次已完成的运行，没有可切换的开关";
    NoRun: "Nothing has run yet", "还没有运行";
    Running: "The model is running", "模型正在运行";
    About: "About", "说明";
    Inspector: "Inspector", "检视";
    InspectorEmpty: "Point at something in the timeline; click to keep it here", "指向时间线上的任意处; 单击可固定在这里";
    RunErrors: "Errors of this run", "这次运行的错误";
    WhereIdle: "Where the GPU idles", "GPU 在哪里空转";
    LaneSpans: "{0} spans", "{0} 段";
    LaneBusy: "busy for {0}", "忙碌 {0}";

    // What runs it: {0} index, {1} name of a GPU
    RunOnHint: "What the scenario runs on", "场景在什么上面运行";
    ProfileHint: "Whose costs the model takes", "模型采用哪台机器的开销";
    OnModel: "Model", "模型";
    OnRecording: "Measured on H200", "H200 实测";
    OnModelForNow: "Model (not recorded)", "模型 (没有记录)";
    OnGpu: "GPU {0}: {1}", "GPU {0}: {1}";
    GpusAsked: "Looking for NVIDIA GPUs", "正在查找 NVIDIA GPU";
    GpusNothing: "No NVIDIA GPU can be used: {0}", "没有可用的 NVIDIA GPU: {0}";
    RunningOn: "Running on {0}", "正在 {0} 上运行";
    OfferRecording: "Show the recording measured on an H200", "显示在 H200 上实测的记录";
    NotRecorded: "not recorded with these knobs", "这组开关没有实测记录";
    RecordedSettings: "Recorded with these knobs:", "这些开关组合有实测记录:";
    RecordedNever: "There is no recording of this scenario as it is", "这个场景没有实测记录";
    AllDefaults: "all at their defaults", "全部为默认值";
    SwitchOn: "on", "开";
    SwitchOff: "off", "关";

    // Numbers
    NumberWall: "Wall time", "总时间";
    NumberLaunches: "{0} launches", "{0} 次发射";
    NumberBusy: "GPU busy", "GPU 忙碌";
    NumberOf: "{0} of {1}", "{1} 中的 {0}";
    NumberBlocked: "Host blocked", "主机阻塞";
    NumberQueue: "Launch queue", "发射队列";
    NumberLatency: "median latency {0}", "延迟中位数 {0}";
    NumberRuns: "{0}, {1} runs", "{0}, {1} 次";
    NumberRunsHint: "The median of {0} runs that were not watched, the shortest and the longest", "{0} 次不带观测的运行: 中位数, 最短与最长";
    NumberLooking: "Cost of looking", "观测的代价";
    NumberLookingHint: "The run in the timeline was watched: it took this many times as long as the median of those that were not. Times of the GPU stand against those of the host within {1}. Measured on {0}.", "时间线上的这次运行带着观测手段: 它的时长是不带观测时中位数的这么多倍。GPU 与主机的时间对齐误差在 {1} 以内。实测日期: {0}。";
    NumberInstrument: "{0}, ±{1}", "{0}, ±{1}";
    NumberBroken: "the context broke", "上下文已损坏";
    InstrumentStamps: "stamps", "时间戳";
    InstrumentEvents: "events", "事件";
    NumberReported: "reported by the scenario", "场景报告的值";

    // The selected range of time
    BeginRange: "Range from here", "区间起点";
    BeginRangeHint: "Begin the range where what is selected begins", "把区间的起点设在所选对象的开始处";
    EndRange: "Range to here", "区间终点";
    EndRangeHint: "End the range where what is selected ends", "把区间的终点设在所选对象的结束处";
    ZoomToRange: "Zoom to the range", "放大区间";
    ZoomToRangeHint: "Show the selected range alone", "只显示选定的区间";
    CopyRange: "Copy as Markdown", "复制为 Markdown";
    CopyRangeHint: "Copy the numbers of the range as a Markdown table", "把区间的各项数字复制成 Markdown 表格";
    CopyRangeCsv: "Copy as CSV", "复制为 CSV";
    CopyRangeCsvHint: "Copy the numbers of the range as comma-separated values", "把区间的各项数字复制成逗号分隔的 CSV";
    RangeTitle: "Range", "选定区间";
    RangeValue: "Value", "数值";
    RangeFrom: "From", "起点";
    RangeTo: "To", "终点";
    RangeBusy: "Busy", "忙碌";
    // {0} title of a lane
    RangeWorking: "{0}, working", "{0}，工作";
    RangeWaiting: "{0}, waiting", "{0}，等待";
    RangeGpu: "GPU, any stream", "GPU，任意一条流";
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
    FactStart: "Start", "开始";
    FactKind: "Kind", "种类";
    FactAbove: "Above the driver", "驱动之上";
    FactAboveEmulated: "Above the driver (emulated)", "驱动之上 (模拟)";
    WallAndTraced: "{0}, here traced: {1}", "{0}, 此处为带测量的一次: {1}";
    Emulated: "{0} (emulated)", "{0} (模拟)";
    NotKept: "not kept from here on", "此后未记录";
    FactInCall: "In the CUDA call", "CUDA 调用内";
    FactLatency: "Launch latency", "发射延迟";
    FactHostTime: "Host time of its launch", "发射它的主机时间";
    FactHeldBy: "Held back last by", "最后被什么拖住";
    FactNext: "Ended by", "被谁结束";
    FactDepth: "Pending", "排队数";
    FactSize: "Size", "大小";
    FactAddress: "Address", "地址";
    FactSegment: "Segment", "所在内存段";
    FactSegmentStream: "Segment's stream", "内存段归属的流";
    FactPool: "Private pool", "私有显存池";
    FactState: "State", "状态";
    FactAllocated: "Allocated", "已分配";
    FactReserved: "Reserved", "已保留";
    StateOwned: "belongs to {0}", "属于 {0}";
    StateWaiting: "freed, waits for {0}", "已释放, 在等 {0}";
    StateDeferred: "freed during a capture", "在捕获期间释放";
    StateCached: "cached", "缓存着, 空闲";
    WhyMemoryWaits: "The tensor is gone, but record_stream has said that {0} works on this memory too. The allocator gives it to nobody until that work is done.", "张量已经没了, 但 record_stream 登记过: {0} 也在用这块显存。它的活做完之前, 分配器不会把这块显存给任何人。";
    WhyMemoryDeferred: "Freed while a graph was being captured, when no event may be asked. The allocator looks again after the capture.", "释放时正在捕获图, 这时不能查询事件。捕获结束后, 分配器才会再看它。";
    WhyMemoryCached: "Free, but not given back to the driver: the next tensor of {0} that fits gets it without cudaMalloc.", "空闲, 但没有还给驱动: {0} 上下一个放得下的张量直接用它, 不必 cudaMalloc。";

    // Dialogs and banner
    OpenTitle: "Open a scenario", "打开场景";
    SaveTitle: "Save the scenario", "保存场景";
    ExportTitle: "Export the figure", "导出图";
    ScreenshotTitle: "Screenshot of the window", "窗口截图";
    PathOfFile: "Path of the file", "文件路径";
    ExportWhole: "The whole run, not only what is seen", "整次运行, 而不只是当前所见";
    ExportDark: "Dark, for a dark slide", "暗色, 用于暗色课件";
    // A verdict that is not there yet
    JudgingPending: "Checking for hazards", "正在检查数据竞争";
    JudgingStopped: "Not checked for hazards", "没有检查数据竞争";
    JudgingCancelHint: "Leave this run unchecked", "这次运行就不检查了";

    // What was edited and not saved: {0} what
    Replace: "Replace", "替换";
    ReplaceAsk: "{0} is there already. Replace it?", "{0} 已经存在。要替换它吗？";
    Discard: "Discard {0}", "丢弃 {0}";
    DiscardHint: "Discard what was edited here and not saved; this can be undone", "丢弃这里还没有保存的修改，丢弃后还能撤销";
    Discarded: "Discarded: {0}", "已丢弃：{0}";
    TakeBack: "Undo", "撤销";

    Close: "Close", "关闭";
    Written: "Written: {0}", "已写入: {0}";
}
