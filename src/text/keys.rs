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
    LaneQueue: "Launch queue", "发射队列";
    LaneQueueUnder: "pending operations", "排队的操作";
    LaneStream: "Stream {0}", "流 {0}";
    LaneStreamDefault: "Default stream", "默认流";
    LaneCopyH2D: "Copy H2D", "拷贝 主机→设备";
    LaneCopyD2H: "Copy D2H", "拷贝 设备→主机";
    LaneCopyUnder: "copy engine", "拷贝引擎";

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
    KindHostFunction: "host function", "主机回调函数";
    KindIdle: "GPU idle", "GPU 空转";
    KindGraphKernel: "kernel of a graph", "图中的核函数";
    LayerPython: "Python", "Python";
    LayerDispatcher: "dispatcher", "分发器";
    LayerAten: "ATen", "ATen";

    // Labels in the timeline and in figures
    BlockedIn: "blocked in {0}", "阻塞于 {0}";
    IdleBecause: "idle: {0}", "空转：{0}";
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

    // Why a bubble: {0} next operation, {1} call of the host, {2} time still blocked, {3} time to launch
    BubbleSentence: "{0} idle for {1}: {2}", "{0}空转 {1}: {2}";
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

    // Verdict on a run: {0} share of busy time
    VerdictNoGpu: "The GPU had nothing to do.", "GPU 无事可做。";
    VerdictBusy: "The GPU was busy {0} of its time: it is the GPU's own speed that limits this run.", "GPU 有 {0} 的时间在忙: 限制这次运行的是 GPU 自己的速度。";
    VerdictIdle: "The GPU was busy {0} of its time. {1} of idle time ({2} of it) has one cause: {3}", "GPU 只有 {0} 的时间在忙。空转中的 {1} (占 {2}) 出于同一个原因: {3}";
    VerdictHostBlocked: "the host was blocked in {0} when the GPU ran dry, about {1} each time.", "GPU 做完时主机还卡在 {0} 里, 每次约 {1}。";
    VerdictLaunchBound: "the host could not launch fast enough, about {0} each time.", "主机发射得不够快, 每次约 {0}。";
}
